import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { callContext } from '../../src/context.js';
import { listGuildLog } from '../../src/domain/audit-log/index.js';
import { banMember, banMembers, listBans, unbanMember } from '../../src/domain/bans/index.js';
import { removeGreeting } from '../../src/domain/built-in-commands/greetings/set.js';
import type { CallContext } from '../../src/domain/call.js';
import {
  createChannel,
  deleteChannel,
  deleteChannelOverwrite,
  getChannel,
  setChannelOverwrite,
  setChannelPositions,
  updateChannel,
} from '../../src/domain/channels/index.js';
import { findRunnableCommand, setCommandPermissions } from '../../src/domain/command-permissions/index.js';
import { createEmoji, deleteEmoji } from '../../src/domain/emojis/index.js';
import { DomainError } from '../../src/domain/errors.js';
import {
  CHANNEL_OPERATIONS,
  type ChannelOperation,
  GUILD_OPERATIONS,
  type GuildOperation,
} from '../../src/domain/guild-operations.js';
import { getGuild, leaveGuild, listIntegrations, updateGuild } from '../../src/domain/guilds/index.js';
import { installApplication, uninstallApplication } from '../../src/domain/installations/index.js';
import { createInvite, deleteInvite } from '../../src/domain/invites/index.js';
import {
  addMember,
  addMemberRole,
  countInactive,
  kickMember,
  setMemberRoles,
  updateMember,
  updateOwnMember,
} from '../../src/domain/members/index.js';
import {
  addReaction,
  clearReactions,
  deleteMessage,
  deleteMessages,
  editMessage,
  getMessage,
  listMessages,
  listPins,
  listReactions,
  pinMessage,
  removeReaction,
  requireSending,
  sendMessage,
  startTyping,
} from '../../src/domain/messages/index.js';
import { ALL_PERMISSIONS, Permission, permissionNames } from '../../src/domain/permissions.js';
import { createRole, deleteRole, setRolePositions, updateRole } from '../../src/domain/roles/index.js';
import { getVoiceState } from '../../src/domain/voice/index.js';
import { listGuildWebhooks } from '../../src/domain/webhooks/index.js';
import { hashSecret } from '../../src/infra/crypto/secrets.js';
import { entry, OF_ROLE, putCommand, putPermissions } from '../harness/command-rows.js';
import { it } from '../harness/fixtures.js';
import { PIXEL } from '../harness/images.js';
import { outcome } from '../harness/outcome.js';
import { createPerson, putInVoice, putSlowMode } from '../harness/rows.js';
import type { TestServer } from '../harness/server.js';
import { createBot, toSend } from '../harness/world.js';
import { openRoom, type Room, toEdit } from './messages/scene.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/permissions.md'), 'utf8');

/** The table under a heading of the page: the permissions of each operation, in words. */
function tableUnder(heading: string): [string | undefined, string | undefined][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return [cells[1]?.replaceAll('`', ''), cells[3]];
  });
}

describe('the page on permissions', () => {
  it.each([
    ['In a server', GUILD_OPERATIONS],
    ['In a channel', CHANNEL_OPERATIONS],
  ])('has the same table as the domain: %s', (heading, operations) => {
    expect(tableUnder(heading)).toEqual(
      Object.entries(operations).map(([name, bits]) => [name, permissionNames(bits).join(', ')]),
    );
  });
});

let server: TestServer;
let room: Room;
let messageId: bigint;
it.beforeAll(({ server: shared }) => {
  server = shared;
});
beforeEach(async () => {
  room = await openRoom(server);
  messageId = await room.sayAndReact();
});

const place = () => ({ channelId: room.channelId, messageId });
const guildId = () => room.guild.id;
interface Attempt<Operation> {
  does: (call: CallContext) => Promise<unknown>;
  /** An operation that is done at the same time. */
  with?: Operation;
  /** An operation in the guild that is done at the same time. */
  also?: GuildOperation;
  /** Permissions that each suffice instead. */
  instead?: bigint;
  as?: 'bot';
}

async function anApplication(): Promise<bigint> {
  const { id } = await createBot(server.app, { owner: room.guild.owner });
  return id;
}

const install = async (call: CallContext) =>
  installApplication(call, { applicationId: await anApplication(), guildId: guildId(), scopes: ['bot'] });

async function uninstall(call: CallContext): Promise<void> {
  const { id } = await install(room.owner);
  await uninstallApplication(call, id);
}

async function addSomebody(call: CallContext, more: object = {}): Promise<unknown> {
  const [user, applicationId] = [await createPerson(server.app), room.users.bot.id];
  const accessToken = `token of ${user.id}`;
  const grant = { id: server.app.nextId(), applicationId, userId: user.id, scopes: ['guilds.join'] };
  await server.app.db.writer.oAuthGrant.create({ data: grant });
  const expiresAt = new Date(server.app.clock.now() + 60_000);
  const token = { hash: hashSecret(accessToken), grantId: grant.id, scopes: grant.scopes, expiresAt };
  await server.app.db.writer.oAuthToken.create({ data: { ...token, kind: 'ACCESS' } });
  return addMember(call, { guildId: guildId(), userId: user.id, accessToken, ...more });
}

const addSomebodyWith = (more: object): Attempt<'addMember'> => ({
  does: (call) => addSomebody(call, more),
  with: 'addMember',
  as: 'bot',
});

const deleteEmojiOfOwner = async (call: CallContext) => {
  const { emoji } = await createEmoji(room.owner, { guildId: guildId(), name: 'other', image: PIXEL });
  return deleteEmoji(call, { guildId: guildId(), emojiId: emoji.id });
};

const deleteInviteOfOwner = async (call: CallContext) => {
  const { code } = await createInvite(room.owner, room.channelId);
  return deleteInvite(call, code);
};

async function aCommand(): Promise<{ applicationId: bigint; commandId: bigint }> {
  const applicationId = await anApplication();
  const scopes = ['applications.commands'] as const;
  await installApplication(room.owner, { applicationId, guildId: guildId(), scopes: [...scopes] });
  const { id: commandId } = await putCommand(server.app, applicationId);
  await putPermissions(server.app, { guildId: guildId(), applicationId, commandId }, entry(OF_ROLE, guildId()));
  return { applicationId, commandId };
}

const setPermissions = async (call: CallContext) =>
  setCommandPermissions(call, { guildId: guildId(), ...(await aCommand()), entries: [] });

async function setPermissionsByToken({ actor }: CallContext): Promise<unknown> {
  if (actor.kind !== 'person') throw new Error('only a person grants tokens');
  const command = await aCommand();
  const scopes = ['applications.commands.permissions.update'] as const;
  const token = { user: actor.user, applicationId: command.applicationId, scopes, expiresAt: new Date() };
  const call = callContext(server.app, { kind: 'token', ...token });
  return setCommandPermissions(call, { guildId: guildId(), ...command, entries: [] });
}

async function runCommand(call: CallContext): Promise<unknown> {
  const { commandId } = await aCommand();
  return findRunnableCommand(call, { channelId: room.channelId, commandId });
}

const ada = () => ({ guildId: guildId(), userId: room.users.ada.id });

const updateAda = (change: object) =>
  above(async (call) => {
    await putInVoice(server.app, ada());
    return updateMember(call, { ...ada(), ...change });
  });

function above(does: (call: CallContext) => Promise<unknown>) {
  return async (call: CallContext) => {
    await giveRole(call);
    return does(call);
  };
}

async function giveRole(call: CallContext): Promise<void> {
  if (call.actor.kind !== 'person') throw new Error('only people are given roles here');
  const role = await createRole(room.owner, guildId(), { permissions: 0n });
  await addMemberRole(room.owner, { guildId: guildId(), userId: call.actor.user.id, roleId: role.id });
}

async function seeAdaInVoice(call: CallContext): Promise<unknown> {
  await putInVoice(server.app, ada());
  return getVoiceState(call, guildId(), room.users.ada.id);
}

async function aRole(): Promise<{ roleId: bigint }> {
  await giveRole(room.bob);
  return { roleId: (await createRole(room.owner, guildId(), { permissions: 0n })).id };
}

const IN_GUILD: Record<GuildOperation, Attempt<GuildOperation>> = {
  viewGuild: { does: (call) => getGuild(call, { guildId: guildId() }) },
  updateGuild: { does: (call) => updateGuild(call, { guildId: guildId(), name: 'Other' }) },
  viewGuildSettings: { does: (call) => listIntegrations(call, guildId()) },
  leaveGuild: { does: (call) => leaveGuild(call, guildId()) },
  installApplication: { does: install },
  uninstallApplication: { does: uninstall },
  createChannel: { does: (call) => createChannel(call, guildId(), { name: 'news' }) },
  setChannelPositions: { does: (call) => setChannelPositions(call, guildId(), []) },
  createRole: { does: (call) => createRole(call, guildId(), { name: 'Helpers', permissions: 0n }) },
  createEmoji: { does: (call) => createEmoji(call, { guildId: guildId(), name: 'other', image: PIXEL }) },
  manageEmojis: { does: deleteEmojiOfOwner },
  setRolePositions: { does: (call) => setRolePositions(call, guildId(), []) },
  updateRole: { does: async (call) => updateRole(call, { guildId: guildId(), ...(await aRole()), name: 'Others' }) },
  deleteRole: { does: async (call) => deleteRole(call, { guildId: guildId(), ...(await aRole()) }) },
  updateOwnNick: { does: (call) => updateOwnMember(call, { guildId: guildId(), nick: 'Me' }) },
  updateNick: { does: updateAda({ nick: 'Ada' }) },
  muteMember: { does: updateAda({ mute: true }) },
  deafenMember: { does: updateAda({ deaf: true }) },
  moveMember: { does: updateAda({ channelId: null }) },
  timeOutMember: { does: updateAda({ communicationDisabledUntil: null }) },
  kickMember: { does: above((call) => kickMember(call, ada())) },
  pruneMembers: { does: (call) => countInactive(call, { guildId: guildId(), days: 7, roleIds: [] }) },
  viewBans: { does: (call) => listBans(call, { guildId: guildId(), limit: 1 }) },
  banMember: { does: above((call) => banMember(call, ada())) },
  banMembers: {
    does: above((call) => banMembers(call, { guildId: guildId(), userIds: [room.users.ada.id] })),
  },
  unbanMember: {
    async does(call) {
      await banMember(room.owner, ada());
      await unbanMember(call, ada());
    },
  },
  setMemberRoles: {
    does: (call) => setMemberRoles(call, { guildId: guildId(), userId: room.users.ada.id, roleIds: [] }),
  },
  addMember: { does: addSomebody, as: 'bot' },
  addMemberWithNick: addSomebodyWith({ nick: 'Newcomer' }),
  addMemberWithRoles: addSomebodyWith({ roleIds: [] }),
  addMemberMuted: addSomebodyWith({ mute: true }),
  addMemberDeafened: addSomebodyWith({ deaf: true }),
  setGreeting: { does: (call) => removeGreeting(call, guildId(), 'WELCOME') },
  manageInvites: { does: deleteInviteOfOwner, instead: Permission.ManageChannels },
  manageWebhooks: { does: (call) => listGuildWebhooks(call, guildId()) },
  viewAuditLog: {
    does: (call) => listGuildLog(call, { guildId: guildId(), take: 1, backwards: true }),
  },
  manageCommandPermissions: { does: setPermissions },
  manageCommandPermissionsByToken: { does: setPermissionsByToken, with: 'manageCommandPermissions' },
};

const send = (more: object) => (call: CallContext) =>
  sendMessage(call, { channelId: room.channelId, body: toSend({ content: 'x', ...more }) });

/** Without the permission, the message is sent without a mention. */
async function mentionEveryone(call: CallContext): Promise<void> {
  const sent = await send({ content: '@everyone' })(call);
  if (!sent.mentionEveryone) throw new DomainError('MISSING_PERMISSIONS');
}

/** The error of slow mode has another code. */
async function sendTwiceInSlowMode(call: CallContext): Promise<void> {
  await putSlowMode(server.app, room.channelId, 60);
  await send({})(call);
  if ((await outcome(send({})(call))) === 'SLOW_MODE') throw new DomainError('MISSING_PERMISSIONS');
}

const own = async () =>
  (await sendMessage(room.bob, { channelId: room.channelId, body: toSend({ content: 'mine' }) })).id;
let ownId: bigint;

/** Copies the overwrites of the category. */
async function moveIntoCategory(call: CallContext): Promise<void> {
  const { id: parentId } = await createChannel(room.owner, guildId(), { name: 'texts', type: 4 });
  await setChannelPositions(call, guildId(), [{ channelId: room.channelId, parentId, lockPermissions: true }]);
}

/** An empty overwrite, which any member who manages permissions may set. */
const overwriteForEveryone = () => ({ targetId: guildId(), targetType: 0 as const, allow: 0n, deny: 0n });

async function takeOverwriteBack(call: CallContext): Promise<void> {
  await setChannelOverwrite(room.owner, room.channelId, overwriteForEveryone());
  await deleteChannelOverwrite(call, room.channelId, guildId());
}

const IN_CHANNEL: Record<ChannelOperation, Attempt<ChannelOperation>> = {
  viewChannel: { does: (call) => getChannel(call, room.channelId) },
  updateChannel: { does: (call) => updateChannel(call, room.channelId, { name: 'talk' }) },
  updateChannelOverwrites: {
    does: (call) => updateChannel(call, room.channelId, { overwrites: [] }),
    with: 'updateChannel',
  },
  moveChannelWithOverwrites: { does: moveIntoCategory, also: 'setChannelPositions' },
  deleteChannel: { does: (call) => deleteChannel(call, room.channelId) },
  setChannelOverwrite: { does: (call) => setChannelOverwrite(call, room.channelId, overwriteForEveryone()) },
  deleteChannelOverwrite: { does: takeOverwriteBack },
  createInvite: { does: (call) => createInvite(call, room.channelId) },
  manageInvitesOfChannel: { does: deleteInviteOfOwner, instead: Permission.ManageGuild },
  listMessages: { does: (call) => listMessages(call, { channelId: room.channelId, limit: 1 }) },
  listPins: { does: (call) => listPins(call, { channelId: room.channelId, limit: 1 }) },
  readMessageHistory: { does: (call) => getMessage(call, place()) },
  sendMessage: { does: send({}) },
  sendEmbeds: { does: send({ embeds: [{ title: 'x' }] }), with: 'sendMessage' },
  sendFiles: {
    does: (call) => requireSending(call, { channelId: room.channelId, files: 1 }),
    with: 'sendMessage',
  },
  sendReadAloud: { does: send({ tts: true }), with: 'sendMessage' },
  sendReply: {
    does: (call) => send({ message_reference: { message_id: String(messageId) } })(call),
    with: 'sendMessage',
  },
  mentionEveryone: { does: mentionEveryone, with: 'sendMessage' },
  startTyping: { does: (call) => startTyping(call, place()) },
  editMessage: { does: (call) => editMessage(call, { ...place(), messageId: ownId, body: toEdit({ content: 'y' }) }) },
  deleteMessage: { does: (call) => deleteMessage(call, { ...place(), messageId: ownId }) },
  manageMessages: { does: (call) => deleteMessage(call, place()) },
  deleteMessages: { does: (call) => deleteMessages(call, { ...place(), messageIds: [messageId, ownId] }) },
  pinMessage: { does: (call) => pinMessage(call, place()) },
  bypassSlowMode: { does: sendTwiceInSlowMode, with: 'sendMessage' },
  addReaction: { does: (call) => addReaction(call, { ...place(), emoji: '👍' }) },
  addNewEmoji: { does: (call) => addReaction(call, { ...place(), emoji: '👎' }), with: 'addReaction' },
  listReactions: { does: (call) => listReactions(call, { ...place(), emoji: '👍', limit: 1 }) },
  removeReaction: { does: (call) => removeReaction(call, { ...place(), emoji: '👍' }) },
  clearReactions: { does: (call) => clearReactions(call, place()) },
  connectVoice: { does: seeAdaInVoice },
  useCommands: { does: runCommand },
};

const bitsOf = (bits: bigint) => Object.values(Permission).filter((bit) => (bits & bit) !== 0n);

const caller = ({ as }: Attempt<unknown>) => (as === 'bot' ? room.bot : room.bob);

type Row = [operation: string, attempt: Attempt<unknown>, needed: bigint];

/** Each operation with its attempt, and all permissions that the attempt needs. */
function rowsOf<Operation extends string>(
  attempts: Record<Operation, Attempt<Operation>>,
  needed: Record<Operation, bigint>,
  always = 0n,
): Row[] {
  return (Object.keys(attempts) as Operation[]).map((operation) => {
    const { [operation]: attempt } = attempts;
    const inGuild = attempt.also ? GUILD_OPERATIONS[attempt.also] : 0n;
    return [operation, attempt, always | inGuild | needed[operation] | (attempt.with ? needed[attempt.with] : 0n)];
  });
}

const ROWS: Row[] = [
  ...rowsOf(IN_GUILD, GUILD_OPERATIONS),
  ...rowsOf(IN_CHANNEL, CHANNEL_OPERATIONS, Permission.ViewChannel),
];

describe('a member', () => {
  beforeEach(async () => {
    ownId = await own();
  });

  it.each(ROWS)('%s: succeeds with exactly the permissions it needs', async (_, attempt, needed) => {
    await room.permit(needed);
    expect(await outcome(attempt.does(caller(attempt)))).toBe('ok');
  });

  it.each(ROWS)('%s: is refused without any one of them', async (_, attempt, needed) => {
    for (const missing of bitsOf(needed & ~Permission.ViewChannel)) {
      await room.permit(ALL_PERMISSIONS & ~Permission.Administrator & ~missing & ~(attempt.instead ?? 0n));
      expect(await outcome(attempt.does(caller(attempt))), String(missing)).toBe('MISSING_PERMISSIONS');
    }
  });
});
