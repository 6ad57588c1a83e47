/** The part of the WebAssembly API that the migrations use; the DOM library that declares it is not for a server. */
declare namespace WebAssembly {
  type ModuleImports = Record<string, unknown>;
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function instantiate(bytes: Uint8Array, imports?: Record<string, ModuleImports>): Promise<{ instance: Instance }>;
}
