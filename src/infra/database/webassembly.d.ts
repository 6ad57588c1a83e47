/** The DOM library, which declares WebAssembly, does not suit a server. */
declare namespace WebAssembly {
  type ModuleImports = Record<string, unknown>;
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function instantiate(bytes: Uint8Array, imports?: Record<string, ModuleImports>): Promise<{ instance: Instance }>;
}
