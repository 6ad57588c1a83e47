import { beforeEach, describe, expect } from 'vitest';
import { test } from '../harness/fixtures.js';
import { operationForm, sendForm } from '../harness/forms.js';
import { codeOf, type Loose } from '../harness/graphql.js';
import { PIXEL } from '../harness/images.js';
import {
  createApplication,
  createGuild,
  invite,
  type MadeApplication,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { putTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let ada: Person;
let bob: Person;
test.beforeAll(async ({ server: shared }) => {
  server = shared;
  [ada, bob] = await Promise.all([signUp(server, 'ada'), signUp(server, 'bob')]);
});

const EMOJI = '{ emoji { id name animated imageUrl creator { id } } }';

async function create(person: Person, of: 'Emoji' | 'ApplicationEmoji', input: object): Promise<Loose> {
  const query = `mutation ($input: Create${of}Input!) { made: create${of}(input: $input) ${EMOJI} }`;
  const form = operationForm({ query, variables: { input: { ...input, image: null } } }, [
    { places: ['variables.input.image'], content: Uint8Array.from(PIXEL), type: 'image/png' },
  ]);
  return sendForm(server, person, form);
}

test('the emojis of a server are created, listed, renamed and deleted', async () => {
  const { id: guildId, ...guild } = await createGuild(ada);
  await invite(ada, { id: guildId, ...guild }, bob);
  const { data } = await create(ada, 'Emoji', { guildId, name: 'wave' });
  const { emoji } = data.made;
  expect(emoji).toMatchObject({ name: 'wave', animated: false, creator: { id: ada.id } });
  expect((await fetch(emoji.imageUrl)).status).toBe(200);
  const update = 'mutation ($input: UpdateEmojiInput!) { updateEmoji(input: $input) { emoji { name } } }';
  await ada.graphql(update, { input: { guildId, emojiId: emoji.id, name: 'bye' } });
  const list = 'query ($id: ID!) { guild(id: $id) { emojis { id name } } }';
  expect((await bob.graphql(list, { id: guildId })).guild.emojis).toEqual([{ id: emoji.id, name: 'bye' }]);
  expect(codeOf(await create(bob, 'Emoji', { guildId, name: 'mine' }))).toBe('FORBIDDEN');
  await ada.graphql('mutation ($input: EmojiIdInput!) { deleteEmoji(input: $input) { id } }', {
    input: { guildId, emojiId: emoji.id },
  });
  expect((await ada.graphql(list, { id: guildId })).guild.emojis).toEqual([]);
});

describe('the emojis of an application', () => {
  let application: MadeApplication;
  const LIST = `query ($id: ID!, $first: Int, $after: String) { application(id: $id) {
    emojis(first: $first, after: $after) { edges { node { id name } } pageInfo { hasNextPage endCursor } } } }`;
  const UPDATE = `mutation ($input: UpdateApplicationEmojiInput!) { updateApplicationEmoji(input: $input) { emoji { name } } }`;
  const DELETE = 'mutation ($input: ApplicationEmojiIdInput!) { deleteApplicationEmoji(input: $input) { id } }';
  beforeEach(async () => {
    application = await createApplication(ada);
  });

  const make = async (name: string): Promise<string> =>
    (await create(ada, 'ApplicationEmoji', { applicationId: application.id, name })).data.made.emoji.id;
  const listed = async (args: object = {}) =>
    (await ada.graphql(LIST, { id: application.id, ...args })).application.emojis;
  const key = (emojiId: string) => ({ applicationId: application.id, emojiId });

  test('are created, listed in pages, renamed and deleted by its developers, and are those of its bot', async () => {
    const [first, second] = [await make('one'), await make('two')];
    expect(await listed({ first: 1 })).toEqual({
      edges: [{ node: { id: first, name: 'one' } }],
      pageInfo: { hasNextPage: true, endCursor: first },
    });
    expect(await listed({ first: 1, after: first })).toMatchObject({
      edges: [{ node: { id: second } }],
      pageInfo: { hasNextPage: false },
    });
    const renamed = await ada.graphql(UPDATE, { input: { ...key(first), name: 'uno' } });
    expect(renamed.updateApplicationEmoji.emoji).toEqual({ name: 'uno' });
    const headers = { authorization: `Bot ${application.botToken}` };
    const answer = await fetch(`${server.origin}/api/v10/applications/${application.id}/emojis`, { headers });
    expect(((await answer.json()) as Loose).items).toMatchObject([
      { id: first, name: 'uno', user: { id: ada.id } },
      { id: second, name: 'two' },
    ]);
    expect(await ada.graphql(DELETE, { input: key(first) })).toEqual({ deleteApplicationEmoji: { id: first } });
    expect((await listed()).edges).toEqual([{ node: { id: second, name: 'two' } }]);
    const where = { applicationId: BigInt(application.id), action: { startsWith: 'APPLICATION_EMOJI_' } };
    const entries = await server.app.db.reader.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
    expect(entries.map(({ action, actorId }) => [action, actorId])).toEqual(
      ['CREATE', 'CREATE', 'UPDATE', 'DELETE'].map((verb) => [`APPLICATION_EMOJI_${verb}`, BigInt(ada.id)]),
    );
  });

  test('are not found for strangers, and are read-only for a read-only member', async () => {
    const emojiId = await make('one');
    const attempts = async () => [
      codeOf(await create(bob, 'ApplicationEmoji', { applicationId: application.id, name: 'x1' })),
      codeOf(await bob.ask(UPDATE, { input: { ...key(emojiId), name: 'x1' } })),
      codeOf(await bob.ask(DELETE, { input: key(emojiId) })),
    ];
    expect(await attempts()).toEqual(Array(3).fill('NOT_FOUND'));
    const teamId = await putTeam(server, ada, [[bob, 'READ_ONLY']]);
    await transferApplication(ada, application, { id: String(teamId) });
    expect(await attempts()).toEqual(Array(3).fill('FORBIDDEN'));
    expect((await bob.graphql(LIST, { id: application.id })).application.emojis.edges).toHaveLength(1);
  });

  test('follow the naming rules of all emojis', async () => {
    const { errors } = await create(ada, 'ApplicationEmoji', { applicationId: application.id, name: 'a b' });
    expect(Object.keys(errors[0]?.extensions.fields ?? {})).toEqual(['name']);
  });
});
