// Connects any discord.js bot to Causeway without a change in its code:
//
//   node -r ./examples/any-bot/discord-js.cjs bot.js
//
// For a bot that starts through npm or in several processes, use the environment:
//
//   NODE_OPTIONS="-r /path/to/discord-js.cjs" npm start
//
// API_URL sets the URL of the API. The default is http://localhost:4000/api.
const { createRequire } = require('node:module');
const { resolve } = require('node:path');

// Libraries add the version themselves.
const api = (process.env.API_URL ?? 'http://localhost:4000/api').replace(/(\/v\d+)?\/*$/, '');
const at = (path) => new URL(path, api).href;

let found = false;

/** Changes the default URLs of `Client`, `REST` and `ShardingManager`. */
function connect(require) {
  const rest = attempt(() => require.resolve('@discordjs/rest'));
  // `require` and `import` load a copy each.
  for (const path of rest ? [rest, rest.replace(/\.js$/, '.mjs')] : []) {
    const loaded = attempt(() => require(path));
    if (loaded) Object.assign(loaded.DefaultRestOptions, { api, cdn: at('/cdn') });
  }
  found ||= rest !== null;
  const types = attempt(() => require('discord-api-types/rest/v10'));
  if (types) types.RouteBases = { ...types.RouteBases, api: `${api}/v10`, cdn: at('/cdn'), invite: at('/invite') };
}

/** The result of `work`, or null if the module is missing or this Node.js cannot load it. */
function attempt(work) {
  try {
    return work();
  } catch (error) {
    if (['MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED', 'ERR_REQUIRE_ESM'].includes(error.code)) return null;
    throw error;
  }
}

// Resolves the library as the bot's program does, and as discord.js does.
for (const place of [process.argv[1] ?? '.', 'package.json']) {
  const ofBot = createRequire(resolve(place));
  connect(ofBot);
  const library = attempt(() => ofBot.resolve('discord.js'));
  if (library) connect(createRequire(library));
}
if (!found)
  console.warn(`discord-js.cjs: found no discord.js, so the bot would connect to Discord. Start it in its own folder.`);
