import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateApplication } from '../../../src/domain/applications/index.js';
import { invokeCommand } from '../../../src/domain/interactions/index.js';
import { startEndpoint, type TestEndpoint } from '../../harness/endpoint.js';
import { ANSWERS } from '../../harness/interactions.js';
import { startServer, type TestServer } from '../../harness/server.js';
import { statementsOf } from '../../harness/statements.js';
import { callOf } from '../../harness/world.js';
import { openScene, type Scene, storeCommand } from './scene.js';

let server: TestServer;
let scene: Scene;
let endpoint: TestEndpoint;
beforeAll(async () => {
  server = await startServer({ env: { ALLOW_PRIVATE_ENDPOINTS: 'on' } });
  scene = await openScene(server);
  const { publicKey } = await server.app.db.reader.application.findUniqueOrThrow({ where: { id: scene.bot.id } });
  endpoint = await startEndpoint({ publicKey, answer: () => ANSWERS[4] });
  const developer = callOf(server.app, scene.bot.owner);
  await updateApplication(developer, { applicationId: scene.bot.id, interactionsEndpointUrl: endpoint.url });
});
afterAll(async () => {
  await endpoint.close();
  await server.stop();
});

function subjectOf(sql: string): string {
  const [verb = ''] = sql.trim().split(/\s/, 1);
  const tables = ['InteractionStep', 'Interaction', 'Message'];
  return `${verb} ${tables.find((table) => new RegExp(`(INTO|UPDATE|FROM) \\S*\\b${table}\\b`).test(sql))}`;
}

it('a command that an endpoint answers with a message takes five statements', async () => {
  const commandId = await storeCommand(scene);
  const invoke = () => invokeCommand(scene.owner, { channelId: scene.guild.channel.id, commandId, options: [] });
  expect((await invoke()).state).toBe('ANSWERED');
  const statements = (await statementsOf(invoke)).map(subjectOf).filter((subject) => !subject.endsWith('undefined'));
  expect(statements).toEqual([
    'SELECT Message',
    'INSERT Interaction',
    'UPDATE Interaction',
    'INSERT Message',
    'INSERT InteractionStep',
  ]);
});
