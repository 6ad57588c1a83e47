import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { renameFaults } from '../domain/errors.js';
import { operatorRoleOf } from '../domain/operators/index.js';
import { parseInput } from '../domain/parse-input.js';
import { OwnProfile, shownByIds, updateOwnUser } from '../domain/users/index.js';
import type { AuthUser, User as UserRow } from '../infra/database/index.js';
import { renderUser } from '../wire/users.js';
import { builder, inputOf, NEEDS_SESSION } from './builder.js';
import type { GraphqlContext } from './context.js';
import { idOf, parseId, snowflakeId } from './ids.js';
import { fieldKey, referredRows } from './lists.js';
import { bytesOf, ICON } from './uploads.js';

export const OperatorRole = builder.enumType('OperatorRole', {
  description: 'Role of a person on the whole instance.',
  values: {
    OPERATOR: { description: 'May do everything.' },
    MODERATOR: { description: 'May act on people, servers and applications.' },
  },
});

export const User = builder.prismaObject('User', {
  description: 'A person or a bot.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    username: t.string({
      description: 'Unique name of a person, or name of a bot. `Deleted User` after deletion.',
      resolve: (user) => renderUser(user).username,
    }),
    globalName: t.exposeString('globalName', {
      nullable: true,
      description: 'Display name of a person. Null if none is set.',
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'URL of the avatar. Null if none is set.',
      resolve: ({ id, avatarHash }, _args, { app }) =>
        avatarHash && `${app.addresses.publicUrl}/cdn/avatars/${id}/${avatarHash}.png`,
    }),
    bot: t.exposeBoolean('bot', { description: 'Whether the user is the bot of an application.' }),
    operatorRole: t.field({
      ...NEEDS_SESSION,
      type: OperatorRole,
      nullable: true,
      description: 'Role of the caller on the whole instance. Null without such a role, and for other users.',
      resolve: ({ id }, _args, { call }) =>
        call.actor.kind === 'person' && call.actor.user.id === id ? operatorRoleOf(call) : null,
    }),
    email: t.string({
      ...NEEDS_SESSION,
      nullable: true,
      description: 'Email address. Null unless the user is the caller.',
      resolve: async ({ id }, _args, context) => (await ownAccount(context, id))?.email ?? null,
    }),
    emailVerified: t.boolean({
      ...NEEDS_SESSION,
      nullable: true,
      description:
        'Whether the email address is verified, which accepting invitations requires. Null unless the user is the caller.',
      resolve: async ({ id }, _args, context) => (await ownAccount(context, id))?.emailVerified ?? null,
    }),
    deletionAt: t.field({
      ...NEEDS_SESSION,
      type: 'DateTime',
      nullable: true,
      description:
        'Time when the account is deleted, which `keepAccount` undoes. Null if the caller did not ask for it, and for other users.',
      resolve: async ({ id }, _args, context) => (await ownAccount(context, id))?.deletionAt ?? null,
    }),
  }),
});

type Account = Pick<AuthUser, 'email' | 'emailVerified' | 'deletionAt'>;

/** Null unless the user is the caller. */
async function ownAccount({ call }: GraphqlContext, userId: bigint): Promise<Account | null> {
  if (call.actor.kind !== 'person' || call.actor.user.id !== userId) return null;
  return call.read.authUser.findUnique({
    where: { userId },
    select: { email: true, emailVerified: true, deletionAt: true },
  });
}

/** Batches fields with the same name and selection. Null if there is no such user. */
export function referredUser(context: GraphqlContext, info: GraphQLResolveInfo, id: bigint): Promise<UserRow | null> {
  const query = queryFromInfo({ context, info });
  const read = (ids: bigint[]) => context.call.read.user.findMany({ ...query, where: { id: { in: ids } } });
  const root = fieldKey(info).split('.').at(-1);
  return referredRows(context, info, read, `users of ${root} with ${JSON.stringify(query)}`).load(id);
}

const UserPayload = builder.objectRef<{ user: UserRow }>('UserPayload').implement({
  description: 'The updated user.',
  fields: (t) => ({
    user: t.field({ type: User, description: 'The caller after the change.', resolve: ({ user }) => user }),
  }),
});
const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'Omitted fields stay unchanged. Null clears a field.',
  fields: (t) => ({
    globalName: t.string({ description: 'Display name, 1–32 characters.' }),
    avatar: t.field({ type: 'File', description: ICON }),
  }),
});

builder.mutationField('updateProfile', (t) =>
  t.field({
    type: UserPayload,
    description: "Changes the caller's display name and avatar.",
    args: { input: t.arg(inputOf(UpdateProfileInput)) },
    resolve: async (_root, { input: { avatar, globalName } }, { call }) => {
      const profile = { ...parseInput(OwnProfile, { globalName }), avatar: bytesOf(avatar) };
      return { user: await renameFaults({ icon: 'avatar' }, () => updateOwnUser(call, profile)) };
    },
  }),
);

builder.queryField('user', (t) =>
  t.prismaField({
    type: User,
    nullable: true,
    description: 'A user. Null if unknown, or if it is the bot of a private application unrelated to the caller.',
    args: { id: t.arg.id(idOf.user) },
    resolve: async (query, _root, args, { call, budget }) => {
      const found = await call.read.user.findMany({ ...query, where: { id: parseId(args.id, 'id') } });
      const [user = null] = await budget.step(() => shownByIds(call, found));
      return user;
    },
  }),
);

builder.queryField('me', (t) =>
  t.field({
    type: User,
    nullable: true,
    skipTypeScopes: true,
    description: 'The caller. Null if they are not signed in.',
    resolve: (_root, _args, { call }) => (call.actor.kind === 'person' ? call.actor.user : null),
  }),
);
