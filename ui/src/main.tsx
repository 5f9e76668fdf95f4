// The page begins here.

import { render } from "preact";
import { App } from "./app";

render(<App />, document.getElementById("app")!);
