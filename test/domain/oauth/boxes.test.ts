import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { BoxClientRef } from '../../../src/domain/boxes/index.js';
import {
  authorize,
  findInstallation,
  loadConsentDetails,
  parseAuthorizationQuery,
  readAuthorizationRequest,
  redeemCode,
} from '../../../src/domain/oauth/index.js';
import type { Application } from '../../../src/infra/database/index.js';
import { BoxesInMemory, putBox, putBoxGuild, type TestBox } from '../../harness/box-guilds.js';
import { type Caller, newCaller } from '../../harness/calls.js';
import { openContext } from '../../harness/context.js';
import { addGuild, type MemoryGuild, MemoryHome } from '../../harness/guild-home.js';
import { outcome } from '../../harness/outcome.js';
import { createBot } from '../../harness/world.js';

const CALLBACK = 'https://client.example/callback';

let app: AppContext;
let close: () => Promise<void>;
let ada: Caller;
let bob: Caller;
let boxes: BoxesInMemory;
let home: MemoryHome;
let box: TestBox;
let attic: MemoryGuild;
let application: Application;

beforeAll(async () => {
  const opened = await openContext();
  close = opened.close;
  home = new MemoryHome();
  app = { ...opened.app, guilds: home };
  await app.live.add();
  bob = await newCaller(app, 'bob');
});
let people = 0;
beforeEach(async () => {
  boxes = new BoxesInMemory();
  if (!(app.boxes instanceof BoxClientRef)) throw new Error('there is no doorway');
  app.boxes.set(boxes);
  people += 1;
  ada = await newCaller(app, `ada${people}`);
  box = await putBox(app, ada, { isConnected: true });
  attic = addGuild({ ...app, nextId: box.nextId }, home, 'Attic');
  await putBoxGuild(app, box, { id: attic.id });
  const { id } = await createBot(app, { owner: bob.user });
  application = await app.db.writer.application.update({ where: { id }, data: { redirectUris: [CALLBACK] } });
});
afterAll(() => close());

const requestFor = (query: object) => readAuthorizationRequest(application, parseAuthorizationQuery(query));

const FOR_BOT = { scope: 'bot applications.commands', permissions: '2048' };

function allow({ call } = ada, scopes = ['bot', 'applications.commands'], query: object = FOR_BOT) {
  const decision = { target: 'SERVER' as const, guildId: attic.id, scopes, permissions: ~0n };
  return authorize(call, requestFor(query), decision);
}

describe('the consent screen', () => {
  const guildsOf = async ({ call }: Caller) => (await loadConsentDetails(call, requestFor(FOR_BOT))).guilds;

  test("lists the servers on the user's boxes, with their connection states", async () => {
    const away = await putBox(app, ada);
    const cellar = await putBoxGuild(app, away, { name: 'Cellar' });
    const lost = await putBox(app, ada);
    await app.db.writer.box.update({ where: { id: lost.box.id }, data: { holderId: 'a process that is over' } });
    const dungeon = await putBoxGuild(app, lost, { name: 'Dungeon' });
    expect(await guildsOf(ada)).toEqual([
      { id: attic.id, name: 'Attic', box: 'connected' },
      { id: cellar.id, name: 'Cellar', box: 'away' },
      { id: dungeon.id, name: 'Dungeon', box: 'away' },
    ]);
  });

  test('lists all of many servers, and none of other users', async () => {
    const ids = Array.from({ length: 201 }, () => box.nextId());
    const data = ids.map((id) => ({ id, name: `Room ${id}`, boxId: box.box.id, ownerId: 1n }));
    await app.db.writer.boxGuild.createMany({ data });
    expect(await guildsOf(ada)).toHaveLength(202);
    expect(await guildsOf(bob)).toEqual([]);
  });
});

describe('an authorization by the owner of a box', () => {
  test('installs the application on the box', async () => {
    expect(await allow()).toMatchObject({ code: null, guildId: attic.id, permissions: 2_048n });
    expect(boxes.has(attic.id, application.id)).toBe(true);
    const found = { applicationId: application.id, guildId: attic.id };
    expect(await findInstallation(ada.call, found)).toMatchObject({ guild: { name: 'Attic' }, permissions: 2_048n });
    expect(await findInstallation(bob.call, found)).toBeNull();
  });

  test('is refused to other users, without the bot, and while the box is away, and then returns no code', async () => {
    const query = { ...FOR_BOT, response_type: 'code', redirect_uri: CALLBACK };
    expect(await outcome(allow(bob))).toBe('UNKNOWN_GUILD');
    expect(await outcome(allow(ada, ['applications.commands']))).toBe('INVALID_INPUT');
    boxes.isAway = true;
    expect(await outcome(allow(ada, ['bot', 'identify'], { ...query, scope: 'bot identify' }))).toBe('OVERLOADED');
    const where = { applicationId: application.id };
    expect(await app.db.reader.installation.count({ where })).toBe(0);
    expect(await app.db.reader.oAuthGrant.count({ where })).toBe(0);
  });
});

describe('the tokens of a code', () => {
  const redeem = async () => {
    const query = { scope: 'bot identify', permissions: '0', response_type: 'code', redirect_uri: CALLBACK };
    const { code } = await allow(ada, ['bot', 'identify'], query);
    const nobody = callContext(app, { kind: 'anonymous' });
    const input = { code: code ?? '', redirectUri: CALLBACK, codeVerifier: undefined };
    return () => redeemCode(nobody, { application, byType: 'confidential' }, input);
  };

  test('include the server from the box', async () => {
    const tokens = await (await redeem())();
    expect(tokens.guild).toEqual(attic.snapshot.guild);
  });

  test('omit the server while the box is away', async () => {
    const exchange = await redeem();
    home.unreachable.add(attic.id);
    expect(await exchange()).toMatchObject({ guild: null, scopes: ['identify', 'bot'] });
  });
});
