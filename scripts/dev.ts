// `npm run dev`: the platform from its source, restarted after each change, with one existing user. It has the settings
// of `npm start`. Its data stays in ./data-dev unless DATA_DIR names another folder.
import { readConfig } from '../src/config.js';
import { describeStartFault, tryAddress } from '../src/start.js';
import { type Person, signInOrUp } from './client.js';

const DEVELOPER = { name: 'dev', email: 'dev@causeway.example', password: 'causeway-dev' };

try {
  const config = readConfig({ ...process.env, DATA_DIR: process.env.DATA_DIR || 'data-dev' });
  await tryAddress(config);
  const { createServer } = await import('../src/server.js');
  const server = await createServer(config);
  const end = () => void server.stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const origin = await server.start();
  const developer = await signInOrUp(`http://${config.host}:${new URL(origin).port || config.port}`, DEVELOPER);
  show(origin, developer);
} catch (error) {
  console.error(`The platform could not start: ${describeStartFault(error) ?? (error as Error).stack}`);
}

function show(origin: string, { token }: Person): void {
  console.log(`
  GraphiQL   ${origin}/graphql
  sign in    ${DEVELOPER.email}, password ${DEVELOPER.password}
  session    Authorization: Bearer ${token}
`);
}
