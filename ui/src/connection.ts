// Watches the connection to the server: polls it, reports when it is gone, and continues when it is
// back.

import { useEffect, useState } from "preact/hooks";

/** Milliseconds between two polls while the server answers, and while it does not. */
const LOOK = { up: 5000, down: 1000 };

let down = false;
const listeners = new Set<(down: boolean) => void>();

function set(now: boolean) {
  if (down === now) return;
  down = now;
  listeners.forEach((listener) => listener(now));
}

/** Reports that a request did not reach the server. */
export function lost() {
  set(true);
}

async function look() {
  try {
    const response = await fetch("/healthz", { cache: "no-store" });
    set(!response.ok);
  } catch {
    set(true);
  }
}

/** Resolves when the server answers again; rejects when the wait is cancelled. */
export function back(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener = (now: boolean) => {
      if (now) return;
      listeners.delete(listener);
      resolve();
    };
    signal.addEventListener("abort", () => {
      listeners.delete(listener);
      reject(signal.reason);
    });
    listeners.add(listener);
  });
}

/** Whether the server is gone; `returned` is called each time it comes back. */
export function useConnection(returned: () => void): boolean {
  const [gone, setGone] = useState(down);
  useEffect(() => {
    const listener = (now: boolean) => {
      setGone(now);
      if (!now) returned();
    };
    listeners.add(listener);
    let timer: ReturnType<typeof setTimeout>;
    const again = () => {
      timer = setTimeout(() => (document.hidden ? Promise.resolve() : look()).finally(again), down ? LOOK.down : LOOK.up);
    };
    again();
    // A hidden page polls at once when it becomes visible.
    const seen = () => document.hidden || void look();
    document.addEventListener("visibilitychange", seen);
    return () => {
      listeners.delete(listener);
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
  return gone;
}
