import { defineConfig } from 'vite';

export default defineConfig({
  base: '/sandbox/',
  logLevel: 'warn',
  build: {
    outDir: '../../dist/sandbox-page',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { onLog: (level, log, show) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && show(level, log) },
  },
});
