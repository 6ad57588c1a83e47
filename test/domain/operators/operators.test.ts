import { describe, expect } from 'vitest';
import { openSetup } from '../../../src/domain/operators/index.js';
import { it } from '../../harness/fixtures.js';
import { codeOf } from '../../harness/graphql.js';
import { instanceLog, makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import { createApplication, createGuild, invite, type Person, sendMessage, signUp } from '../../harness/people.js';
import { makeBox } from '../../harness/self-hosted.js';
import type { TestServer } from '../../harness/server.js';

const CLAIM = 'mutation ($token: String!) { claimInstance(input: { token: $token }) { role } }';
const ROLE = '{ me { operatorRole } }';

let server: TestServer;
let olga: Person;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  olga = await signUp(server, 'olga');
});

describe('the set-up link', () => {
  it('makes one person the first operator, exactly once, also among people who open it at once', async () => {
    const token = await openSetup(server.app.db);
    expect(await openSetup(server.app.db)).toBe(token);
    expect(codeOf(await olga.ask(CLAIM, { token: 'wrong' }))).toBe('NOT_FOUND');
    const others = [await signUp(server, 'first'), await signUp(server, 'second'), await signUp(server, 'third')];
    const answers = await Promise.all(others.map((person) => person.ask(CLAIM, { token })));
    expect(answers.map((answer) => codeOf(answer) ?? answer.data.claimInstance.role).sort()).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
      'OPERATOR',
    ]);
    expect(codeOf(await olga.ask(CLAIM, { token }))).toBe('NOT_FOUND');
    expect(await openSetup(server.app.db)).toBeNull();
    const roles = await Promise.all(others.map(async (person) => (await person.graphql(ROLE)).me.operatorRole));
    const winner = others[roles.indexOf('OPERATOR')];
    expect(roles.filter((role) => role === null)).toHaveLength(2);
    if (!winner) throw new Error('no person became the operator');
    expect(await instanceLog(winner)).toEqual([
      `OPERATOR_UPDATE | ${winner.name} | ${winner.name} | Used the set-up link`,
    ]);
    await makeOperator(server, olga);
  });
});

describe('a role', () => {
  it('is given and taken by another operator, never by oneself, and works at once', async () => {
    const mia = await signUp(server, 'mia');
    const set = (by: Person, whose: Person, role: string | null) =>
      by.ask(OPERATOR_MUTATIONS.setRole, { input: { personId: whose.id, role, reason: 'helps' } });
    expect(codeOf(await set(mia, mia, 'OPERATOR'))).toBe('NOT_FOUND');
    expect(codeOf(await set(olga, olga, null))).toBe('CONFLICT');
    expect((await set(olga, mia, 'MODERATOR')).data.operatorSetRole.person.operatorRole).toBe('MODERATOR');
    expect((await mia.graphql(ROLE)).me.operatorRole).toBe('MODERATOR');
    expect((await mia.graphql('{ instance { people(first: 1) { edges { node { id } } } } }')).instance).toBeTruthy();
    for (const part of ['operators { id }', 'boxes { edges { node { id } } }', 'limits { kind }', 'limited { kind }']) {
      expect(codeOf(await mia.ask(`{ instance { ${part} } }`))).toBe('NOT_FOUND');
    }
    expect(codeOf(await set(mia, olga, null))).toBe('NOT_FOUND');
    const limit = { kind: 'MESSAGES', value: 1, reason: 'spam' };
    expect(codeOf(await mia.ask(OPERATOR_MUTATIONS.setLimit, { input: limit }))).toBe('NOT_FOUND');
    const { instance } = await olga.graphql('{ instance { operators { user { username } operatorRole } } }');
    expect(instance.operators.at(-1)).toEqual({ user: { username: 'mia' }, operatorRole: 'MODERATOR' });
    const acted = { personId: mia.id, reason: 'spam' };
    expect(codeOf(await olga.ask(OPERATOR_MUTATIONS.suspendPerson, { input: acted }))).toBe('CONFLICT');
    await set(olga, mia, null);
    expect(codeOf(await mia.ask('{ instance { people { edges { node { id } } } } }'))).toBe('NOT_FOUND');
    expect((await instanceLog(olga)).slice(0, 2)).toEqual([
      'OPERATOR_UPDATE | olga | mia | helps',
      'OPERATOR_UPDATE | olga | mia | helps',
    ]);
  });

  it('stays with one person if two operators take it from each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pair = [await signUp(server, `x${round}`), await signUp(server, `y${round}`)] as const;
      for (const person of pair) await makeOperator(server, person);
      const [x, y] = pair;
      const demote = (by: Person, whose: Person) =>
        by.ask(OPERATOR_MUTATIONS.setRole, { input: { personId: whose.id, role: null, reason: 'race' } });
      const answers = await Promise.all([demote(x, y), demote(y, x)]);
      expect(answers.map((answer) => codeOf(answer) ?? 'ok').sort()).toEqual(['NOT_FOUND', 'ok']);
      const roles = await Promise.all(pair.map(async (person) => (await person.graphql(ROLE)).me.operatorRole));
      expect(roles.filter((role) => role === 'OPERATOR')).toHaveLength(1);
    }
  });
});

describe('people who are no operators', () => {
  it('get NOT_FOUND for everything', async () => {
    const noah = await signUp(server, 'noah');
    const guild = await createGuild(noah);
    const application = await createApplication(noah);
    const { box } = await makeBox(noah);
    const acted = {
      personId: noah.id,
      applicationId: application.id,
      guildId: guild.id,
      boxId: box.id,
      kind: 'MESSAGES',
      value: 1,
      ownerId: noah.id,
      role: 'OPERATOR',
      text: 'hi',
      reason: 'none',
    };
    const inputs: Record<keyof typeof OPERATOR_MUTATIONS, (keyof typeof acted)[]> = {
      setRole: ['personId', 'role'],
      suspendPerson: ['personId', 'text'],
      deletePerson: ['personId'],
      restorePerson: ['personId'],
      signOutPerson: ['personId'],
      passwordLink: ['personId'],
      exportPerson: ['personId'],
      suspendApplication: ['applicationId', 'text'],
      restoreApplication: ['applicationId'],
      transferServer: ['guildId', 'ownerId'],
      deleteServer: ['guildId'],
      setLimit: ['kind', 'value'],
      disconnectBox: ['boxId'],
    };
    for (const [name, fields] of Object.entries(inputs)) {
      const input = Object.fromEntries([...fields, 'reason' as const].map((field) => [field, acted[field]]));
      const answer = await noah.ask(OPERATOR_MUTATIONS[name as keyof typeof OPERATOR_MUTATIONS], { input });
      expect([name, codeOf(answer)]).toEqual([name, 'NOT_FOUND']);
    }
    const pages = ['people', 'applications', 'servers', 'boxes', 'auditLog'].map(
      (name) => `${name} { edges { cursor } }`,
    );
    const single = [
      `person(id: "${noah.id}") { id }`,
      `personDeletion(id: "${noah.id}") { state }`,
      `application(id: "${application.id}") { id }`,
      `server(id: "${guild.id}") { id }`,
      'operators { id }',
      'limits { kind }',
      'limited { kind }',
    ];
    for (const part of [...pages, ...single]) {
      expect([part, codeOf(await noah.ask(`{ instance { ${part} } }`))]).toEqual([part, 'NOT_FOUND']);
    }
    const rows = await server.app.db.reader.instanceAuditEntry.count({ where: { actorId: BigInt(noah.id) } });
    expect(rows).toBe(0);
  });
});

describe('the lists', () => {
  it('find people by parts of names and addresses or by id, page in both directions, and filter suspended ones', async () => {
    const people = [];
    for (const name of ['pat.one', 'pat.two', 'pat.three']) people.push(await signUp(server, name));
    const names = async (args: string): Promise<string[]> => {
      const { instance } = await olga.graphql(
        `{ instance { people(${args}) { edges { node { user { username } } } } } }`,
      );
      return instance.people.edges.map(({ node }: { node: { user: { username: string } } }) => node.user.username);
    };
    expect(await names('search: "PAT."')).toEqual(['pat.one', 'pat.two', 'pat.three']);
    expect(await names('search: "pat.two@people"')).toEqual(['pat.two']);
    expect(await names(`search: "${people[2]?.id}"`)).toEqual(['pat.three']);
    expect(await names('search: "pat.", last: 2')).toEqual(['pat.two', 'pat.three']);
    expect(await names(`search: "pat.", after: "${people[0]?.id}", first: 1`)).toEqual(['pat.two']);
    expect(await names(`search: "pat.", before: "${people[2]?.id}"`)).toEqual(['pat.one', 'pat.two']);
    const input = { personId: people[0]?.id, text: 'Stop.', reason: 'spam' };
    await olga.graphql(OPERATOR_MUTATIONS.suspendPerson, { input });
    expect(await names('search: "pat.", suspended: true')).toEqual(['pat.one']);
    expect(await names('search: "pat.", suspended: false')).toEqual(['pat.two', 'pat.three']);
  });

  it('count what a person wrote and owns, and what is in a server, without a single text', async () => {
    const ivy = await signUp(server, 'ivy');
    const guild = await createGuild(ivy, 'Ivy garden');
    await createApplication(ivy, 'Ivy bot');
    await makeBox(ivy, 'Ivy box');
    for (const text of ['a', 'b', 'c']) await sendMessage(ivy, guild.textChannelId, text);
    const { instance } = await olga.graphql(
      `query ($id: ID!, $guild: ID!) { instance {
        person(id: $id) { email figures { messages servers applications boxes } }
        server(id: $guild) { name memberCount figures { messages channels } owner { username } }
        servers(ownerId: $id) { edges { node { name } } }
        applications(ownerId: $id, search: "ivy") { edges { node { name serverCount ownerUser { username } } } }
        boxes(ownerId: $id) { edges { node { name status serverNames owner { username } } } }
      } }`,
      { id: ivy.id, guild: guild.id },
    );
    expect(instance).toMatchObject({
      person: { email: ivy.email, figures: { messages: 3, servers: 1, applications: 1, boxes: 1 } },
      server: { name: 'Ivy garden', memberCount: 1, figures: { messages: 3 }, owner: { username: 'ivy' } },
      servers: { edges: [{ node: { name: 'Ivy garden' } }] },
      applications: { edges: [{ node: { name: 'Ivy bot', serverCount: 0, ownerUser: { username: 'ivy' } } }] },
      boxes: {
        edges: [{ node: { name: 'Ivy box', status: 'NEVER_CONNECTED', serverNames: [], owner: { username: 'ivy' } } }],
      },
    });
  });
});

describe('a server', () => {
  it('is handed to another member, who may then do what owners may', async () => {
    const [kim, lee] = [await signUp(server, 'kim'), await signUp(server, 'lee')];
    const guild = await createGuild(kim, 'Kitchen');
    const transfer = (ownerId: string) =>
      olga.ask(OPERATOR_MUTATIONS.transferServer, { input: { guildId: guild.id, ownerId, reason: 'kim left' } });
    const refused = await transfer(lee.id);
    expect(refused.errors[0]?.extensions.fields).toMatchObject({
      ownerId: [{ message: 'lee is not a member of the server.' }],
    });
    await invite(kim, guild, lee);
    expect((await transfer(lee.id)).data.operatorTransferServer.server.owner.username).toBe('lee');
    const remove = 'mutation ($id: ID!) { deleteGuild(input: { guildId: $id }) { id } }';
    expect(codeOf(await kim.ask(remove, { id: guild.id }))).toBe('FORBIDDEN');
    const log = await lee.graphql(
      `query ($id: ID!) { guild(id: $id) { auditLog(last: 1) { edges { node { action reason } } } } }`,
      { id: guild.id },
    );
    expect(log.guild.auditLog.edges).toEqual([{ node: { action: 'GUILD_UPDATE', reason: 'kim left' } }]);
    expect((await lee.ask(remove, { id: guild.id })).errors).toEqual([]);
    expect((await instanceLog(olga))[0]).toBe('SERVER_TRANSFER | olga | Kitchen | kim left');
  });

  it('is deleted for good, with its name in the log', async () => {
    const guild = await createGuild(await signUp(server, 'max'), 'Spam palace');
    const input = { guildId: guild.id, reason: 'only spam' };
    await olga.graphql(OPERATOR_MUTATIONS.deleteServer, { input });
    expect(codeOf(await olga.ask(OPERATOR_MUTATIONS.deleteServer, { input }))).toBe('NOT_FOUND');
    expect((await instanceLog(olga))[0]).toBe('SERVER_DELETE | olga | Spam palace | only spam');
  });
});

describe('a reason', () => {
  it('is required', async () => {
    const input = { personId: olga.id, reason: '   ' };
    const { errors } = await olga.ask(OPERATOR_MUTATIONS.signOutPerson, { input });
    expect(errors[0]?.extensions.fields).toHaveProperty('reason');
  });
});
