import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteDueAccounts } from '../../../src/domain/deletions/due.js';
import { MovableClock } from '../../harness/clock.js';
import { columnsWith, untilRemoved } from '../../harness/deletions.js';
import { codeOf } from '../../harness/graphql.js';
import { grantCode, inForm, postForm, REDIRECT_URI } from '../../harness/oauth.js';
import { makeOperator, OPERATOR_MUTATIONS } from '../../harness/operators.js';
import { createApplication, createGuild, invite, type Person, signUp } from '../../harness/people.js';
import { startServer, type TestServer } from '../../harness/server.js';

const SWEEP_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

let server: TestServer;
let clock: MovableClock;
let olga: Person;

// A server of its own, because the tests move the time and run jobs.
beforeAll(async () => {
  clock = new MovableClock();
  server = await startServer({ clock, jobs: true });
  olga = await signUp(server, 'olga');
  await makeOperator(server, olga);
});
afterAll(() => server.stop());

// Takes seconds, because it waits for every request under way and for two runs of the job.
test('a person who does everything while they are deleted leaves nothing that names them', async () => {
  const { app } = server;
  const ada = await signUp(server, 'zephyrine');
  const bob = await signUp(server, 'bob');
  const guild = await createGuild(bob, 'Harbour');
  await invite(bob, guild, ada);
  const others = await Promise.all(Array.from({ length: 10 }, (_, index) => createGuild(bob, `Harbour ${index}`)));
  const codes: string[] = await Promise.all(
    others.map(async ({ textChannelId: channelId }) => {
      const made = 'mutation ($input: ChannelIdInput!) { createInvite(input: $input) { code } }';
      return (await bob.graphql(made, { input: { channelId } })).createInvite.code;
    }),
  );
  const bot = await createApplication(bob, 'Helper');
  const data = { redirectUris: [REDIRECT_URI] };
  await app.db.writer.application.update({ where: { id: BigInt(bot.id) }, data });
  const code = await grantCode(server, ada, bot);
  const first = await postForm(server, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    ...inForm(bot),
  });
  let refreshToken: string = first.body.refresh_token;

  const accepted: { at: number; what: string }[] = [];
  const act =
    (what: string, type: string, input: (n: number) => object, by = ada) =>
    async () => {
      for (let n = 0; ; n += 1) {
        const answer = await by.ask(`mutation ($input: ${type}!) { ${what}(input: $input) { __typename } }`, {
          input: input(n),
        });
        if (answer.data) accepted.push({ at: performance.now(), what });
        if (codeOf(answer) === 'UNAUTHENTICATED' || (by === bob && codeOf(answer) === 'NOT_FOUND')) return;
      }
    };
  const refresh = async () => {
    for (;;) {
      const { body } = await postForm(server, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        ...inForm(bot),
      });
      if (!body.refresh_token) return;
      accepted.push({ at: performance.now(), what: 'refresh' });
      refreshToken = body.refresh_token;
    }
  };
  const userId = ada.id;
  const running = [
    act('sendMessage', 'SendMessageInput', () => ({ channelId: guild.textChannelId, content: 'ahoy' })),
    act('sendMessage', 'SendMessageInput', () => ({ channelId: guild.textChannelId, content: 'ahoy' })),
    act('joinGuild', 'JoinGuildInput', (n) => ({ code: codes[n % codes.length] })),
    act('updateProfile', 'UpdateProfileInput', (n) => ({ globalName: `Quux ${n}` })),
    act('openDirectChannel', 'OpenDirectChannelInput', () => ({ userId: bob.id })),
    act('createTeam', 'CreateTeamInput', (n) => ({ name: `Team ${n}` })),
    act('createPersonalToken', 'CreatePersonalTokenInput', (n) => ({ name: `zephyrine ${n}` })),
    act('updateMember', 'UpdateMemberInput', (n) => ({ guildId: guild.id, userId, nick: `Quuxling ${n}` }), bob),
    refresh,
  ].map((run) => run());
  await expect.poll(() => new Set(accepted.map(({ what }) => what)).size, { timeout: 10_000 }).toBeGreaterThan(7);
  const input = { personId: ada.id, reason: 'spam', withOwned: true };
  expect((await olga.ask(OPERATOR_MUTATIONS.deletePerson, { input })).errors).toEqual([]);
  const answeredAt = performance.now();
  await Promise.all(running);
  const late = accepted.filter(({ at, what }) => what !== 'updateMember' && at - answeredAt > 1_000);
  expect(late).toEqual([]);

  await untilRemoved(app);
  clock.advance(SWEEP_MS);
  await untilRemoved(app);
  expect(await columnsWith(app, [ada.name, 'Quux'])).toEqual([]);
  const { read } = app.callOfNobody();
  const id = BigInt(ada.id);
  expect([
    await read.member.count({ where: { userId: id } }),
    await read.oAuthGrant.count({ where: { userId: id } }),
    await read.personalToken.count({ where: { userId: id } }),
    await read.team.count({ where: { ownerUserId: id } }),
  ]).toEqual([0, 0, 0, 0]);
});

test('of undoing and the due deletion, exactly one succeeds', async () => {
  const { app } = server;
  for (let round = 0; round < 12; round += 1) {
    const eve = await signUp(server, `eve${round}`);
    const userId = BigInt(eve.id);
    const deletionAt = new Date(clock.now() - DAY_MS);
    await app.db.writer.authUser.update({ where: { userId }, data: { deletionAt } });
    const due = () => deleteDueAccounts(app.callOfNobody(), new AbortController().signal);
    const keep = () => eve.ask('mutation { keepAccount { user { id } } }');
    const [kept] =
      round % 2 === 0 ? await Promise.all([keep(), due()]) : (await Promise.all([due(), keep()])).reverse();
    const account = await app.db.reader.authUser.findUnique({ where: { userId } });
    const isKept = typeof kept === 'object' && kept.data !== null;
    expect([isKept, account !== null, account?.deletionAt ?? null]).toEqual([isKept, isKept, null]);
  }
});
