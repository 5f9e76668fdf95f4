// Types for the used parts of two packages without types.

interface Land {
  objects: { land: object };
}

declare module "world-atlas/land-110m.json" {
  const land: Land;
  export default land;
}

declare module "topojson-client" {
  export function feature(
    topology: object,
    object: object,
  ): { features: { geometry: { coordinates: [number, number][][][] } }[] };
}
