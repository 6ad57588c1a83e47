import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Client as DiscordClient, Events, Team } from 'discord.js';
import sharp from 'sharp';
import { beforeEach, describe, expect } from 'vitest';
import { noDiscordPy, PYTHON } from '../../harness/discord-py.js';
import { it } from '../../harness/fixtures.js';
import { codeOf, type Loose } from '../../harness/graphql.js';
import { askWithToken, grantCode, inForm, postForm, REDIRECT_URI } from '../../harness/oauth.js';
import { createApplication, type MadeApplication, type Person, signUp } from '../../harness/people.js';
import { expectReference } from '../../harness/reference.js';
import { ask } from '../../harness/rest.js';
import type { TestServer } from '../../harness/server.js';
import { askUpdate, faultsOf, update, uploadIcon } from '../../harness/settings.js';
import { needing } from '../../harness/skipping.js';
import {
  addToTeam,
  askTransfer,
  createTeam,
  type MadeTeam,
  removeFromTeam,
  teamOf,
  transferApplication,
} from '../../harness/teams.js';

const run = promisify(execFile);

/** A stock discord.py bot that prints its owner and team. */
const DISCORD_PY = `
import asyncio, os, discord
from discord.http import Route

Route.BASE = os.environ["ORIGIN"] + "/api/v10"

async def main():
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(os.environ["BOT_TOKEN"])
        info = await client.application_info()
        print(info.owner.name, info.team.name, info.team.owner.name, ",".join(m.name for m in info.team.members))

asyncio.run(main())
`;

let server: TestServer;
let owner: Person;
let lead: Person;
let developer: Person;
let team: MadeTeam;
let application: MadeApplication;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  [owner, lead, developer] = await Promise.all([
    signUp(server, 'owner'),
    signUp(server, 'lead'),
    signUp(server, 'developer'),
  ]);
});
beforeEach(async () => {
  team = await createTeam(lead);
  await addToTeam(lead, team, owner, 'ADMIN');
  await addToTeam(lead, team, developer);
  application = await createApplication(owner, 'Helper');
});

const OWNERSHIP = `query ($id: ID!) { application(id: $id) {
  ownerUser { id } ownerTeam { id name } effectiveRole
} }`;

const rowOf = () => server.app.db.reader.application.findUniqueOrThrow({ where: { id: BigInt(application.id) } });
const transfer = (person = owner, input: { teamId?: string; appName?: string } = {}) =>
  askTransfer(person, { applicationId: application.id, teamId: team.id, appName: 'Helper', ...input });
const asBot = (path: string) => ask(server, 'GET', path, { headers: { authorization: `Bot ${application.botToken}` } });

describe('the states of application ownership', () => {
  it('personal: owner_user_id is set', async () => {
    const { application: found } = await owner.graphql(OWNERSHIP, { id: application.id });
    expect(found).toEqual({ ownerUser: { id: owner.id }, ownerTeam: null, effectiveRole: 'OWNER' });
  });

  it('personal: transfer to a team → team-owned (owner_team_id set, owner_user_id cleared)', async () => {
    const { data, errors } = await transfer();
    expect(errors).toEqual([]);
    expect(data.transferApplication.application).toMatchObject({
      ownerUser: null,
      ownerTeam: { id: team.id },
      effectiveRole: 'OWNER',
    });
    expect(await rowOf()).toMatchObject({
      ownerUserId: null,
      ownerTeamId: BigInt(team.id),
      transferredById: BigInt(owner.id),
    });
    expect((await teamOf(developer, team)).applications).toEqual([{ id: application.id }]);
  });

  it('personal: refused unless the app name is typed exactly as confirmation', async () => {
    for (const appName of ['', 'helper', 'Helper ', 'Other']) {
      expect(faultsOf(await transfer(owner, { appName }))).toEqual({ appName: ['APPLICATION_NAME_MISMATCH'] });
    }
    expect((await rowOf()).ownerUserId).toBe(BigInt(owner.id));
  });

  it('personal: refused unless the caller is owner or admin of the target team', async () => {
    const others = await createTeam(lead);
    expect(codeOf(await transfer(owner, { teamId: others.id }))).toBe('NOT_FOUND');
    expect(codeOf(await transfer(owner, { teamId: '1' }))).toBe('NOT_FOUND');
    await addToTeam(lead, others, owner, 'DEVELOPER');
    expect(codeOf(await transfer(owner, { teamId: others.id }))).toBe('FORBIDDEN');
    const own = await createTeam(owner);
    expect((await transfer(owner, { teamId: own.id })).errors).toEqual([]);
  });

  it("personal: refused for another user's application, regardless of the team", async () => {
    expect(codeOf(await transfer(lead))).toBe('NOT_FOUND');
  });

  it('team-owned: any transfer is refused; it is one-way', async () => {
    await transfer();
    const own = await createTeam(owner);
    for (const teamId of [team.id, own.id]) expect(codeOf(await transfer(owner, { teamId }))).toBe('CONFLICT');
    expect(codeOf(await transfer(lead))).toBe('CONFLICT');
    expect((await rowOf()).ownerTeamId).toBe(BigInt(team.id));
  });

  it('happens once for ten requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => transfer()));
    const codes = answers.map((answer) => codeOf(answer) ?? 'done').sort();
    expect(codes).toEqual([...Array(9).fill('CONFLICT'), 'done']);
  });
});

describe('a transfer', () => {
  it('leaves bot token, client secret and OAuth tokens valid', async () => {
    await update(owner, application.id, { redirectUris: [REDIRECT_URI] });
    const code = await grantCode(server, developer, application);
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...inForm(application) };
    const { body: tokens } = await postForm(server, form);
    const { body: own } = await postForm(server, {
      grant_type: 'client_credentials',
      scope: 'identify email',
      ...inForm(application),
    });
    await transferApplication(owner, application, team);
    expect((await asBot('/users/@me')).status).toBe(200);
    expect((await askWithToken(server, '/users/@me', tokens.access_token)).body.id).toBe(developer.id);
    expect((await askWithToken(server, '/users/@me', own.access_token)).body.id).toBe(owner.id);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...inForm(application) };
    expect((await postForm(server, refresh)).status).toBe(200);
  });

  it('keeps the icon', async () => {
    const background = '#5865f2';
    const image = await sharp({ create: { width: 32, height: 32, channels: 3, background } })
      .png()
      .toBuffer();
    const uploaded = await uploadIcon(server, owner, application.id, new Uint8Array(image));
    const { iconUrl } = uploaded.data.updateApplication.application;
    expect((await transferApplication(owner, application, team)).iconUrl).toBe(iconUrl);
    expect((await fetch(iconUrl)).status).toBe(200);
  });

  it('gives members their team role, and the initiator the owner role even after they leave', async () => {
    await transferApplication(owner, application, team);
    const roleOf = async (person: Person) => {
      const { application: found } = await person.graphql(OWNERSHIP, { id: application.id });
      return found.effectiveRole;
    };
    expect([await roleOf(lead), await roleOf(developer), await roleOf(owner)]).toEqual(['OWNER', 'DEVELOPER', 'OWNER']);
    await removeFromTeam(owner, team, owner);
    const { application: found } = await owner.graphql(OWNERSHIP, { id: application.id });
    expect(found).toEqual({ ownerUser: null, ownerTeam: null, effectiveRole: 'OWNER' });
    const listed = async (person: Person) =>
      (await person.graphql('{ applications { id } }')).applications.map(({ id }: Loose) => id);
    for (const person of [owner, lead, developer]) expect(await listed(person)).toContain(application.id);
    await removeFromTeam(lead, team, developer);
    expect(await listed(developer)).not.toContain(application.id);
    expect(codeOf(await askUpdate(developer, application.id, { description: 'mine' }))).toBe('NOT_FOUND');
  });

  it('moves the audit entries to the team, and later entries belong to the team too', async () => {
    await update(owner, application.id, { description: 'before' });
    await transferApplication(owner, application, team);
    await update(developer, application.id, { description: 'after' });
    const entries = await server.app.db.reader.auditEntry.findMany({
      where: { teamId: BigInt(team.id), applicationId: BigInt(application.id) },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, actorId }) => [action, `${actorId}`])).toEqual([
      ['APPLICATION_CREATE', owner.id],
      ['APPLICATION_UPDATE', owner.id],
      ['APPLICATION_TRANSFER', owner.id],
      ['APPLICATION_UPDATE', developer.id],
    ]);
    expect(entries[2]?.changes).toEqual({
      ownerUserId: { old: owner.id, new: null },
      ownerTeamId: { old: null, new: team.id },
    });
  });
});

describe('the client_credentials grant of an application of a team', () => {
  const askFor = (scope: string) =>
    postForm(server, { grant_type: 'client_credentials', scope, ...inForm(application) });

  it('acts for the owner of the team, with identify and the command scopes', async () => {
    await transferApplication(owner, application, team);
    const { status, body } = await askFor('identify applications.commands applications.commands.permissions.update');
    expect(status).toBe(200);
    const me = await askWithToken(server, '/users/@me', body.access_token);
    expect(me.body.id).toBe(lead.id);
    expect(me.body).not.toHaveProperty('email');
  });

  it.each(['email', 'guilds', 'identify email'])('does not give %s', async (scope) => {
    expect((await askFor(scope)).status).toBe(200);
    await transferApplication(owner, application, team);
    expect(await askFor(scope)).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });
});

describe('an application of a team, as its bot sees it,', () => {
  beforeEach(async () => {
    await transferApplication(owner, application, team);
    await lead.graphql(
      `mutation ($input: InviteTeamMemberInput!) { inviteTeamMember(input: $input) { invitation { id } } }`,
      { input: { teamId: team.id, email: (await signUp(server, `u${team.id}`)).email, role: 'ADMIN' } },
    );
  });

  it.each(['/applications/@me', '/oauth2/applications/@me'])(
    'has its team with the joined members in %s, and an owner that represents the team',
    async (path) => {
      const { status, body } = await asBot(path);
      expect(status).toBe(200);
      expectReference('PrivateApplicationResponse', body);
      expect(body.owner).toMatchObject({ id: team.id, username: `team${team.id}`, discriminator: '0000', flags: 1024 });
      const membership = (person: Person, role: string) => ({
        user: expect.objectContaining({ id: person.id, username: person.name }),
        team_id: team.id,
        membership_state: 2,
        role,
        permissions: ['*'],
      });
      expect(body.team).toEqual({
        id: team.id,
        name: 'Builders',
        icon: null,
        owner_user_id: lead.id,
        members: [membership(lead, 'admin'), membership(owner, 'admin'), membership(developer, 'developer')],
      });
    },
  );

  it('is read by discord.js', async () => {
    const client = new DiscordClient({ intents: [], rest: { api: `${server.origin}/api` } });
    const ready = once(client, Events.ClientReady);
    await client.login(application.botToken);
    await ready;
    const fetched = await client.application?.fetch();
    const of = fetched?.owner;
    expect(of).toBeInstanceOf(Team);
    if (of instanceof Team) {
      expect([of.name, of.ownerId]).toEqual(['Builders', lead.id]);
      expect(of.members.get(developer.id)).toMatchObject({ role: 'developer', membershipState: 2 });
    }
    await client.destroy();
  });

  it.skipIf(noDiscordPy)(needing(noDiscordPy, 'is understood by discord.py'), async () => {
    const env = { ...process.env, ORIGIN: server.origin, BOT_TOKEN: application.botToken };
    const { stdout } = await run(PYTHON, ['-c', DISCORD_PY], { env });
    expect(stdout.trim()).toBe(`team${team.id} Builders lead lead,owner,developer`);
  });
});
