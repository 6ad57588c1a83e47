import {
  createApplicationEmoji,
  createEmoji,
  deleteApplicationEmoji,
  deleteEmoji,
  EmojiChange,
  EmojiName,
  NewEmoji,
  updateApplicationEmoji,
  updateEmoji,
} from '../domain/emojis/index.js';
import { limits } from '../domain/limits.js';
import { parseInput } from '../domain/parse-input.js';
import type { Emoji as EmojiRow } from '../infra/database/index.js';
import { storedStrings } from '../infra/database/stored.js';
import { Application } from './applications.js';
import { builder } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { Guild } from './guilds.js';
import { parseId, snowflakeId } from './ids.js';
import { childLists, referredRows } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { Role } from './roles.js';
import { referredUser, User } from './users.js';

export const Emoji = builder.objectRef<EmojiRow>('Emoji').implement({
  description: 'A picture with a name, which is written `<:name:id>` in a text, or `<a:name:id>` where it moves.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name'),
    animated: t.exposeBoolean('animated', { description: 'Whether it moves.' }),
    imageUrl: t.string({
      resolve: ({ id, animated }, _args, { app }) =>
        `${app.addresses.publicUrl}/cdn/emojis/${id}.${animated ? 'gif' : 'png'}`,
    }),
    roles: t.field({
      type: [Role],
      description: 'Those who may use it have one of these; none for everybody.',
      resolve: async ({ roleIds }, _args, context, info) => {
        const roles = referredRows(context, info, (ids) =>
          context.call.read.role.findMany({ where: { id: { in: ids } } }),
        );
        const found = await Promise.all(storedStrings(roleIds).map((id) => roles.load(BigInt(id))));
        return found.filter((role) => role !== null);
      },
    }),
    creator: t.field({
      type: User,
      nullable: true,
      description: 'Who made it.',
      resolve: ({ creatorId }, _args, context, info) => referredUser(context, info, creatorId),
    }),
  }),
});

builder.prismaObjectFields(Guild, (t) => ({
  emojis: t.field({
    type: [Emoji],
    description: 'Oldest first.',
    resolve: ({ id }, _args, context, info) =>
      childLists(context, info, {
        most: 2 * limits.emojisPerGuild,
        read: (guildIds, take) =>
          context.call.read.emoji.findMany({ where: { guildId: { in: guildIds } }, orderBy: { id: 'asc' }, take }),
        parentOf: (emoji) => emoji.guildId,
      }).load(id),
  }),
}));

const EmojiConnection = builder.connectionObject({ type: Emoji, name: 'EmojiConnection' }, { name: 'EmojiEdge' });

builder.prismaObjectFields(Application, (t) => ({
  emojis: t.field({
    type: EmojiConnection,
    description:
      'Those that its bot uses everywhere, oldest first; empty for somebody without a role in the application.',
    args: pageArgs,
    complexity: (args) => ({ field: 1, multiplier: pageSizeOf(args) }),
    resolve: async (application, args, context) => {
      const { call, budget } = context;
      const page = parsePage(args);
      const mayView = await callerMayWithApplication(context, application, 'view');
      const where = { applicationId: application.id, id: withinPage(page) };
      const orderBy = { id: page.backwards ? 'desc' : 'asc' } as const;
      const rows = mayView
        ? await budget.read(page.take + 1, (take) => call.read.emoji.findMany({ where, orderBy, take }))
        : [];
      return connectionOf(page, pageRows(page, rows), ({ id }) => id);
    },
  }),
}));

const IMAGE = 'PNG, JPEG, GIF or WebP, at most 256 KiB; it is fitted into 128 pixels.';

const NAME = '2 to 32 letters, digits and underscores.';

const CreateEmojiInput = builder.inputType('CreateEmojiInput', {
  fields: (t) => ({
    guildId: t.id({ required: true }),
    name: t.string({ required: true, description: NAME }),
    image: t.field({ type: 'File', required: true, description: IMAGE }),
    roleIds: t.idList({ description: 'Who may use it; none, or not given, for everybody.' }),
  }),
});
const UpdateEmojiInput = builder.inputType('UpdateEmojiInput', {
  description: 'What is not given stays as it is. Null for the roles lets everybody use it, and leaves the name.',
  fields: (t) => ({
    guildId: t.id({ required: true }),
    emojiId: t.id({ required: true }),
    name: t.string(),
    roleIds: t.idList(),
  }),
});
const EmojiIdInput = builder.inputType('EmojiIdInput', {
  fields: (t) => ({ guildId: t.id({ required: true }), emojiId: t.id({ required: true }) }),
});

const CreateApplicationEmojiInput = builder.inputType('CreateApplicationEmojiInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    name: t.string({ required: true, description: NAME }),
    image: t.field({ type: 'File', required: true, description: IMAGE }),
  }),
});
const UpdateApplicationEmojiInput = builder.inputType('UpdateApplicationEmojiInput', {
  fields: (t) => ({
    applicationId: t.id({ required: true }),
    emojiId: t.id({ required: true }),
    name: t.string({ required: true, description: NAME }),
  }),
});
const ApplicationEmojiIdInput = builder.inputType('ApplicationEmojiIdInput', {
  fields: (t) => ({ applicationId: t.id({ required: true }), emojiId: t.id({ required: true }) }),
});

const EmojiPayload = builder.objectRef<{ emoji: EmojiRow }>('EmojiPayload').implement({
  fields: (t) => ({ emoji: t.field({ type: Emoji, resolve: ({ emoji }) => emoji }) }),
});

function applicationKeyOf(input: { applicationId: string; emojiId: string }): {
  applicationId: bigint;
  emojiId: bigint;
} {
  return { applicationId: parseId(input.applicationId, 'applicationId'), emojiId: parseId(input.emojiId, 'emojiId') };
}

function keyOf(input: { guildId: string; emojiId: string }): { guildId: bigint; emojiId: bigint } {
  return { guildId: parseId(input.guildId, 'guildId'), emojiId: parseId(input.emojiId, 'emojiId') };
}

builder.mutationFields((t) => ({
  createEmoji: t.field({
    type: EmojiPayload,
    args: { input: t.arg({ type: CreateEmojiInput, required: true }) },
    resolve: (_root, { input: { guildId, image, ...input } }, { call }) =>
      createEmoji(call, {
        ...parseInput(NewEmoji, input),
        guildId: parseId(guildId, 'guildId'),
        image: async () => (await image.take()).blob.bytes(),
      }),
  }),
  updateEmoji: t.field({
    type: EmojiPayload,
    args: { input: t.arg({ type: UpdateEmojiInput, required: true }) },
    resolve: (_root, { input: { guildId, emojiId, ...input } }, { call }) =>
      updateEmoji(call, keyOf({ guildId, emojiId }), parseInput(EmojiChange, input)),
  }),
  deleteEmoji: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: EmojiIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const key = keyOf(input);
      await deleteEmoji(call, key);
      return { id: key.emojiId };
    },
  }),
  createApplicationEmoji: t.field({
    type: EmojiPayload,
    args: { input: t.arg({ type: CreateApplicationEmojiInput, required: true }) },
    resolve: (_root, { input: { applicationId, name, image } }, { call }) =>
      createApplicationEmoji(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        name: parseInput(EmojiName, name, 'name'),
        image: async () => (await image.take()).blob.bytes(),
      }),
  }),
  updateApplicationEmoji: t.field({
    type: EmojiPayload,
    args: { input: t.arg({ type: UpdateApplicationEmojiInput, required: true }) },
    resolve: (_root, { input }, { call }) =>
      updateApplicationEmoji(call, { ...applicationKeyOf(input), name: parseInput(EmojiName, input.name, 'name') }),
  }),
  deleteApplicationEmoji: t.field({
    type: DeletedPayload,
    args: { input: t.arg({ type: ApplicationEmojiIdInput, required: true }) },
    resolve: async (_root, { input }, { call }) => {
      const key = applicationKeyOf(input);
      await deleteApplicationEmoji(call, key);
      return { id: key.emojiId };
    },
  }),
}));
