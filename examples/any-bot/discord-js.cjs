// Connects any discord.js bot to Causeway without a change in its code:
//
//   node -r ./examples/any-bot/discord-js.cjs bot.js
//
// A bot that starts its program by npm, or in several processes, has it from the environment:
//
//   NODE_OPTIONS="-r /path/to/discord-js.cjs" npm start
//
// API_URL names the address of the API, where that is not http://localhost:4000/api.
const { createRequire } = require('node:module');
const { resolve } = require('node:path');

// Libraries add the version themselves.
const api = (process.env.API_URL ?? 'http://localhost:4000/api').replace(/(\/v\d+)?\/*$/, '');
const at = (path) => new URL(path, api).href;

/** Changes what `Client`, `REST` and `ShardingManager` ask where no option says otherwise. */
function connect(require) {
  const rest = attempt(() => require.resolve('@discordjs/rest'));
  // `require` and `import` load a copy each.
  for (const path of rest ? [rest, rest.replace(/\.js$/, '.mjs')] : []) {
    const loaded = attempt(() => require(path));
    if (loaded) Object.assign(loaded.DefaultRestOptions, { api, cdn: at('/cdn') });
  }
  const types = attempt(() => require('discord-api-types/rest/v10'));
  if (types) types.RouteBases = { ...types.RouteBases, api: `${api}/v10`, cdn: at('/cdn'), invite: at('/invite') };
}

/** What `work` returns; null for a module that is not there, or that this Node.js cannot load so. */
function attempt(work) {
  try {
    return work();
  } catch (error) {
    if (['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED', 'ERR_REQUIRE_ESM'].includes(error.code)) return null;
    throw error;
  }
}

// As the bot's program finds its libraries, and as discord.js finds its own.
for (const place of [process.argv[1] ?? '.', 'package.json']) {
  const ofBot = createRequire(resolve(place));
  connect(ofBot);
  const library = attempt(() => ofBot.resolve('discord.js'));
  if (library) connect(createRequire(library));
}
