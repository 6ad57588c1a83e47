import { describe, expect } from 'vitest';
import { it } from '../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { faultsOf } from '../harness/settings.js';
import { createTeam, type MadeTeam } from '../harness/teams.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let team: MadeTeam;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  [guild, team, application] = [await createGuild(ada), await createTeam(ada), await createApplication(ada)];
});

const DISGUISES = ['one\ntwo', 'Zé\r\nBcc: x@y.example', 'a\u0007b', 'a\u202Etxt', 'a\u2066b', 'a\u2028b', 'a\u009Fb'];

const INVISIBLE = [
  '',
  '\u200B\u200B',
  ' \u200D \u200D ',
  '\u3164\u3164',
  '\u2800\u2800',
  '\u{E0061}\u{E0062}',
  '\u00AD\uFE0F',
];

describe('a name', () => {
  it.each<[string, string, () => object]>([
    ['createTeam', 'CreateTeamInput', () => ({})],
    ['updateTeam', 'UpdateTeamInput', () => ({ teamId: team.id })],
    ['createApplication', 'CreateApplicationInput', () => ({})],
    ['updateApplication', 'UpdateApplicationInput', () => ({ applicationId: application.id })],
    ['createGuild', 'CreateGuildInput', () => ({})],
    ['createChannel', 'CreateChannelInput', () => ({ guildId: guild.id })],
    ['createRole', 'CreateRoleInput', () => ({ guildId: guild.id, permissions: '0' })],
  ])('in %s must be visible, on one line and without control characters', async (mutation, type, input) => {
    const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
    for (const name of DISGUISES) {
      const answer = await ada.ask(query, { input: { ...input(), name } });
      expect(faultsOf(answer)).toEqual({ name: ['STRING_TYPE_REGEX'] });
    }
    for (const name of INVISIBLE) {
      const answer = await ada.ask(query, { input: { ...input(), name } });
      expect(faultsOf(answer)).toEqual({ name: ['BASE_TYPE_BAD_LENGTH'] });
    }
    const { errors } = await ada.ask(query, { input: { ...input(), name: ' Zoë  שלום مرحبا 👩‍💻 ' } });
    expect(errors).toEqual([]);
  });

  it('needs its minimum length in visible characters', async () => {
    const named = async (name: string) =>
      faultsOf(
        await ada.ask('mutation ($input: CreateTeamInput!) { createTeam(input: $input) { __typename } }', {
          input: { name },
        }),
      );
    expect(await named('a\u200B\u200B')).toEqual({ name: ['BASE_TYPE_BAD_LENGTH'] });
    expect(await named('a\u200Bb')).toEqual({});
    expect(await named(`a${'\u200B'.repeat(30)}b`)).toEqual({});
    expect(await named(`a${'\u200B'.repeat(31)}b`)).toEqual({ name: ['BASE_TYPE_BAD_LENGTH'] });
  });
});
