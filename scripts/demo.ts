// `npm run demo`: the platform with users, a team, a server, a box and two applications with running stock bots. Its
// temporary folder is removed at the end.
import { describeStartFault } from '../src/start.js';
import { DemoInstance } from './demo/instance.js';
import { makeWorld, PASSWORD, talk } from './demo/world.js';

const demo = new DemoInstance();
let ending: Promise<never> | undefined;
// Ctrl+C may send its signal twice, from the terminal and from npm.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
process.once('exit', () => demo.killBots());

try {
  await demo.start(process.env, () => console.log('Starting the platform …'));
  const world = await makeWorld(demo.api);
  console.log('Starting the bots (examples/hello-bot and examples/slash-bot, stock discord.js) …');
  const bots = [
    ['hello-bot', world.hello.botToken],
    ['slash-bot', world.lunch.botToken],
  ] as const;
  await Promise.all(bots.map(([example, token]) => demo.startBot(example, token, (code) => void end(code))));
  const said = await talk(world);
  const { origin } = demo;
  console.log('\nMessages in #general of Demo Harbour:');
  for (const { author, content } of said) console.log(`  ${author.username}: ${content}`);
  console.log(`
URLs
  portal      ${origin}/portal
  playground  ${origin}/portal/servers/${world.guildId}/channels/${world.kitchenId}   (try /lunch)
  GraphiQL    ${origin}/graphql
  REST        ${origin}/api/v10      (Authorization: Bot ${world.hello.botToken})
  gateway     ${origin.replace('http', 'ws')}/gateway

Sign in
  people      ada@demo.example and grace@demo.example, password ${PASSWORD}
  a session   curl -s ${origin}/auth/sign-in/email -H 'content-type: application/json' \\
                -d '{"email":"grace@demo.example","password":"${PASSWORD}"}'
  then        send its token as "Authorization: Bearer <token>" to /graphql (GraphiQL has a Headers tab)

Ctrl+C stops everything and removes the demo's data.`);
} catch (error) {
  // Errors of an interrupted start are expected.
  if (!ending) console.error(`The demo could not start: ${describeStartFault(error) ?? error}`);
  await end(1);
}

/** Stops everything, removes the demo's data and ends the process, once. */
function end(code: number): Promise<never> {
  ending ??= demo.stop().then(() => process.exit(code));
  return ending;
}
