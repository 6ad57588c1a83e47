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
import { builder, inputOf, WITH_PERSONAL_TOKEN } from './builder.js';
import { DeletedPayload } from './deleted.js';
import { Guild } from './guilds.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { childLists, referredRows } from './lists.js';
import { callerMayWithApplication } from './own-roles.js';
import { connectionOf, pageArgs, pageRows, pageSizeOf, parsePage, withinPage } from './page.js';
import { Role } from './roles.js';
import { referredUser, User } from './users.js';

const NAME = '2–32 letters, digits and underscores.';

export const Emoji = builder.objectRef<EmojiRow>('Emoji').implement({
  description: 'A custom emoji. Text contains it as `<:name:id>`, or `<a:name:id>` if it is animated.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    name: t.exposeString('name', { description: NAME }),
    animated: t.exposeBoolean('animated', { description: 'Whether the image is animated.' }),
    imageUrl: t.string({
      description: 'URL of the image: a GIF if it is animated, otherwise a PNG.',
      resolve: ({ id, animated }, _args, { app }) =>
        `${app.addresses.publicUrl}/cdn/emojis/${id}.${animated ? 'gif' : 'png'}`,
    }),
    roles: t.field({
      type: [Role],
      description: 'Roles whose members can use the emoji. Empty if everyone can.',
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
      description: 'User who created the emoji. Null if the user no longer exists.',
      resolve: ({ creatorId }, _args, context, info) => referredUser(context, info, creatorId),
    }),
  }),
});

builder.prismaObjectFields(Guild, (t) => ({
  emojis: t.field({
    type: [Emoji],
    description: 'Custom emojis of the server, oldest first.',
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
    description: 'Emojis that only its bot can use, in every channel, oldest first. Empty for callers without a role.',
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

const IMAGE = 'PNG, JPEG, GIF or WebP, at most 256 KiB. Scaled down to at most 128 pixels on each side.';

const CreateEmojiInput = builder.inputType('CreateEmojiInput', {
  description: 'A new emoji of a server.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    name: t.string({ required: true, description: NAME }),
    image: t.field({ type: 'File', required: true, description: IMAGE }),
    roleIds: t.idList({ description: 'IDs of roles whose members can use the emoji. Default: everyone can.' }),
  }),
});
const UpdateEmojiInput = builder.inputType('UpdateEmojiInput', {
  description: 'Changes of a server emoji. Omitted fields and a null `name` stay unchanged.',
  fields: (t) => ({
    guildId: t.id(idOf.guild),
    emojiId: t.id(idOf.emoji),
    name: t.string({ description: NAME }),
    roleIds: t.idList({
      description: 'IDs of roles whose members can use the emoji. Null or an empty list lets everyone use it.',
    }),
  }),
});
const EmojiIdInput = builder.inputType('EmojiIdInput', {
  description: 'Identifies an emoji of a server.',
  fields: (t) => ({ guildId: t.id(idOf.guild), emojiId: t.id(idOf.emoji) }),
});

const CreateApplicationEmojiInput = builder.inputType('CreateApplicationEmojiInput', {
  description: 'A new emoji of an application.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    name: t.string({ required: true, description: NAME }),
    image: t.field({ type: 'File', required: true, description: IMAGE }),
  }),
});
const UpdateApplicationEmojiInput = builder.inputType('UpdateApplicationEmojiInput', {
  description: 'New name of an application emoji.',
  fields: (t) => ({
    applicationId: t.id(idOf.application),
    emojiId: t.id(idOf.emoji),
    name: t.string({ required: true, description: NAME }),
  }),
});
const ApplicationEmojiIdInput = builder.inputType('ApplicationEmojiIdInput', {
  description: 'Identifies an emoji of an application.',
  fields: (t) => ({ applicationId: t.id(idOf.application), emojiId: t.id(idOf.emoji) }),
});

const EmojiPayload = builder.objectRef<{ emoji: EmojiRow }>('EmojiPayload').implement({
  description: 'The affected emoji.',
  fields: (t) => ({
    emoji: t.field({ type: Emoji, description: 'The emoji after the change.', resolve: ({ emoji }) => emoji }),
  }),
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

const MANAGE_EMOJI = "Needs Manage Guild Expressions, or Create Guild Expressions for the caller's own emoji.";

builder.mutationFields((t) => ({
  createEmoji: t.field({
    type: EmojiPayload,
    description: 'Adds an emoji to a server. Needs Create Guild Expressions.',
    args: { input: t.arg(inputOf(CreateEmojiInput)) },
    resolve: (_root, { input: { guildId, image, ...input } }, { call }) =>
      createEmoji(call, {
        ...parseInput(NewEmoji, input),
        guildId: parseId(guildId, 'guildId'),
        image: async () => (await image.take()).blob.bytes(),
      }),
  }),
  updateEmoji: t.field({
    type: EmojiPayload,
    description: `Changes the name and roles of a server emoji. ${MANAGE_EMOJI}`,
    args: { input: t.arg(inputOf(UpdateEmojiInput)) },
    resolve: (_root, { input: { guildId, emojiId, ...input } }, { call }) =>
      updateEmoji(call, keyOf({ guildId, emojiId }), parseInput(EmojiChange, input)),
  }),
  deleteEmoji: t.field({
    type: DeletedPayload,
    description: `Deletes an emoji of a server. ${MANAGE_EMOJI}`,
    args: { input: t.arg(inputOf(EmojiIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const key = keyOf(input);
      await deleteEmoji(call, key);
      return { id: key.emojiId };
    },
  }),
  createApplicationEmoji: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: EmojiPayload,
    description: 'Adds an emoji for the bot of an application. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(CreateApplicationEmojiInput)) },
    resolve: (_root, { input: { applicationId, name, image } }, { call }) =>
      createApplicationEmoji(call, {
        applicationId: parseId(applicationId, 'applicationId'),
        name: parseInput(EmojiName, name, 'name'),
        image: async () => (await image.take()).blob.bytes(),
      }),
  }),
  updateApplicationEmoji: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: EmojiPayload,
    description: 'Renames an emoji of an application. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(UpdateApplicationEmojiInput)) },
    resolve: (_root, { input }, { call }) =>
      updateApplicationEmoji(call, { ...applicationKeyOf(input), name: parseInput(EmojiName, input.name, 'name') }),
  }),
  deleteApplicationEmoji: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: DeletedPayload,
    description: 'Deletes an emoji of an application. Needs the role DEVELOPER or higher.',
    args: { input: t.arg(inputOf(ApplicationEmojiIdInput)) },
    resolve: async (_root, { input }, { call }) => {
      const key = applicationKeyOf(input);
      await deleteApplicationEmoji(call, key);
      return { id: key.emojiId };
    },
  }),
}));
