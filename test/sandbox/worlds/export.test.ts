import { describe, expect } from 'vitest';
import type { Seed, World } from '../../../src/testing/index.js';
import { test } from '../../harness/sandbox.js';

/** Runs a mutation as a person does in the portal. */
async function change(world: World, name: string, mutation: string, type: string, input: object): Promise<void> {
  const { token } = await world.person(name).signIn();
  const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
  const response = await fetch(world.portal.replace('/portal', '/graphql'), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  expect(await response.json()).not.toHaveProperty('errors');
}

describe('the seed of a world that changed', () => {
  test('has what people made in the portal, with current names, and makes the same world', async ({ instance }) => {
    const world = await instance.createWorld({
      people: ['ada', 'grace'],
      guilds: [
        {
          name: 'Kitchen',
          channels: [{ name: 'kitchen', overwrites: [{ application: 'lunchbot', allow: ['ViewChannel'] }] }],
        },
        'Hall',
        'Attic',
        { name: 'Cellar', box: true },
      ],
      applications: [
        { name: 'lunchbot', guilds: ['Kitchen', 'Cellar'] },
        { name: 'winebot', guilds: ['Cellar'], permissions: ['ManageMessages'] },
        { name: 'oldbot', guilds: [] },
      ],
    });
    await change(world, 'ada', 'updateGuild', 'UpdateGuildInput', { guildId: world.guild.id, name: 'Bakery' });
    await change(world, 'ada', 'deleteGuild', 'GuildIdInput', { guildId: world.server('Attic').id });
    await change(world, 'grace', 'createGuild', 'CreateGuildInput', { name: 'Garden' });
    const teabot = { name: 'teabot', description: 'Makes tea' };
    await change(world, 'grace', 'createApplication', 'CreateApplicationInput', teabot);
    const oldbot = { applicationId: world.application('oldbot').id, name: 'oldbot' };
    await change(world, 'ada', 'deleteApplication', 'DeleteApplicationInput', oldbot);

    const seed = await world.exportSeed();
    const { guilds, applications } = seed as { [Part in keyof Seed]: { name: string }[] };
    expect(guilds?.map(({ name }) => name)).toEqual(['Bakery', 'Hall', 'Garden', 'Cellar']);
    expect(guilds?.[0]).toMatchObject({
      channels: [{ name: 'kitchen', overwrites: [{ application: 'lunchbot', allow: ['ViewChannel'] }] }],
    });
    expect(guilds?.[2]).toMatchObject({ owner: 'grace', members: ['grace'] });
    expect(applications).toEqual([
      { name: 'lunchbot', owner: 'ada', guilds: ['Bakery', 'Cellar'] },
      { name: 'winebot', owner: 'ada', guilds: ['Cellar'], permissions: ['ManageMessages'] },
      expect.objectContaining({ ...teabot, owner: 'grace', guilds: [] }),
    ]);
    const copy = await instance.createWorld(seed);
    expect(await copy.exportSeed()).toEqual(seed);
    await copy.dispose();
    await world.dispose();
  });
});
