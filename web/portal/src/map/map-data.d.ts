/** What web/portal-plugins.ts makes (`mapData`). */
type TextModule = { readonly default: string };
type Loaders = { readonly [name: string]: (() => Promise<TextModule>) | undefined };

declare module 'virtual:map-data/tiles' {
  const loaders: Loaders;
  export default loaders;
}

declare module 'virtual:map-data/town-lists' {
  const loaders: Loaders;
  export default loaders;
}

declare module 'virtual:map-data/postcode-lists' {
  const loaders: Loaders;
  export default loaders;
}

declare module 'virtual:map-data/largest-towns' {
  const lines: string;
  export default lines;
}
