import type { Client } from 'graphql-ws';
import { afterEach, describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import { createApplication, createGuild, type Person, signUp } from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { update } from '../harness/settings.js';
import { socketClient, subscribe } from '../harness/sockets.js';
import { createTeam } from '../harness/teams.js';

let server: TestServer;
let ada: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
});

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

async function watch(query: string, variables: object) {
  const client = socketClient(server, { token: ada.token });
  clients.push(client);
  return subscribe(client, query, { ...variables });
}

const MAKE_BOX = 'mutation { createBox(input: { name: "Cellar" }) { box { id name } } }';

const STATES: Record<string, () => Promise<{ argument: string; id: string; name: string }>> = {
  applicationChanged: async () => ({ argument: 'applicationId', ...(await createApplication(ada, 'Otter bot')) }),
  teamChanged: async () => ({ argument: 'teamId', ...(await createTeam(ada, 'Otters')) }),
  guildChanged: async () => ({ argument: 'guildId', ...(await createGuild(ada, 'Harbour')) }),
  boxChanged: async () => ({ argument: 'boxId', ...(await ada.graphql(MAKE_BOX)).createBox.box }),
};

describe('a subscription that asks for the initial state', () => {
  it.each(Object.entries(STATES))('first sends the current state with %s', async (field, make) => {
    const { argument, id, name } = await make();
    const query = `subscription ($id: ID!) { ${field}(${argument}: $id, initial: true) { id name } }`;
    const stream = await watch(query, { id });
    expect(await stream.next()).toEqual({ data: { [field]: { id, name } } });
  });

  it('first sends the current portal home', async () => {
    const stream = await watch('subscription { portalHomeChanged(initial: true) { teamInvitations { id } } }', {});
    expect(await stream.next()).toEqual({ data: { portalHomeChanged: { teamInvitations: [] } } });
  });

  it('sends each later change once', async () => {
    const application = await createApplication(ada, 'Otter bot');
    const query = 'subscription ($id: ID!) { applicationChanged(applicationId: $id, initial: true) { name } }';
    const stream = await watch(query, { id: application.id });
    const names = [(await stream.next()).data.applicationChanged.name];
    for (const name of ['Badger bot', 'Beaver bot']) {
      await update(ada, application.id, { name });
      names.push((await stream.next()).data.applicationChanged.name);
    }
    expect(names).toEqual(['Otter bot', 'Badger bot', 'Beaver bot']);
  });
});
