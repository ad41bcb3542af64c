/** A module of the built product: this folder is compiled on its own and reaches it at run time. */
export const built = <Module>(path: string): Promise<Module> =>
  import(new URL(`../${path}`, import.meta.url).href) as Promise<Module>;
