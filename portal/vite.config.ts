import { createLogger, defineConfig } from 'vite';

/** Every page needs these: React, the router, and the loader of other files. */
const VENDOR =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/|vite\/preload-helper|rolldown\/runtime/;

/** Every page of a signed-in user also needs these. */
const FRAME =
  /node_modules\/(urql|@urql|@0no-co|wonka|graphql-ws|@base-ui)\/(?!.*(combobox|autocomplete|floating-ui-react))/;

/** Files of our own that such pages share. */
const FRAME_FILES =
  /portal\/src\/(asked|cache|client|document|live|instance|me|query|gql\/frame|pages\/(as-graphql-button|frame|session-ended|switcher-button)|ui\/(action|connection|copy|dialog|draft|guarded|lazy-dialog|listing|once|open-link|picture|save|secrets|side|toasts))\.tsx?$/;

/** Files of our own that pages of visitors need, too. */
const SHELL =
  /portal\/src\/(connection|fetch-in-time|store|session|pages\/visitors\/(accounts|sign-in-form)|ui\/(field|form|page|problems|times|endings|broken|loading))\.tsx?$/;

const logger = createLogger('warn');
const { warn } = logger;
// The theme has to be known before the page is painted: it is a file of its own, and no module.
logger.warn = (message, options) => message.includes('theme.js') || warn(message, options);

export default defineConfig({
  base: '/portal/',
  customLogger: logger,
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages allows files of their own origin, and nothing that stands in a page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      onLog: (level, log, show) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && show(level, log),
      output: {
        codeSplitting: {
          groups: [
            { name: 'vendor', test: VENDOR, priority: 4 },
            { name: 'yaml', test: /node_modules\/yaml\// },
            { name: 'shell', test: SHELL, priority: 3 },
            { name: 'parts', test: (id) => FRAME.test(id) || FRAME_FILES.test(id), priority: 2 },
          ],
        },
      },
    },
  },
});
