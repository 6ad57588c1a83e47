import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { renameFaults } from '../domain/errors.js';
import { parseInput } from '../domain/parse-input.js';
import { OwnProfile, shownByIds, updateOwnUser } from '../domain/users/index.js';
import type { AuthUser, User as UserRow } from '../infra/database/index.js';
import { renderUser } from '../wire/users.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { parseId, snowflakeId } from './ids.js';
import { fieldKey, referredRows } from './lists.js';
import { bytesOf } from './uploads.js';

export const User = builder.prismaObject('User', {
  description: 'A person or a bot.',
  fields: (t) => ({
    id: t.field(snowflakeId),
    username: t.string({ resolve: (user) => renderUser(user).username }),
    globalName: t.exposeString('globalName', { nullable: true }),
    avatarUrl: t.string({
      nullable: true,
      resolve: ({ id, avatarHash }, _args, { app }) =>
        avatarHash && `${app.addresses.publicUrl}/cdn/avatars/${id}/${avatarHash}.png`,
    }),
    bot: t.exposeBoolean('bot'),
    email: t.string({
      nullable: true,
      description: "Only on the caller's own user.",
      resolve: async ({ id }, _args, context) => (await ownAccount(context, id))?.email ?? null,
    }),
    emailVerified: t.boolean({
      nullable: true,
      description: "Only on the caller's own user. Accepting an invitation takes a verified address.",
      resolve: async ({ id }, _args, context) => (await ownAccount(context, id))?.emailVerified ?? null,
    }),
  }),
});

type Account = Pick<AuthUser, 'email' | 'emailVerified'>;

/** Null unless the user is the caller. */
async function ownAccount({ call }: GraphqlContext, userId: bigint): Promise<Account | null> {
  if (call.actor.kind !== 'person' || call.actor.user.id !== userId) return null;
  return call.read.authUser.findUnique({ where: { userId }, select: { email: true, emailVerified: true } });
}

/** Batches fields with the same name and selection. Null if there is no such user. */
export function referredUser(context: GraphqlContext, info: GraphQLResolveInfo, id: bigint): Promise<UserRow | null> {
  const query = queryFromInfo({ context, info });
  const read = (ids: bigint[]) => context.call.read.user.findMany({ ...query, where: { id: { in: ids } } });
  const root = fieldKey(info).split('.').at(-1);
  return referredRows(context, info, read, `users of ${root} with ${JSON.stringify(query)}`).load(id);
}

const UserPayload = builder.objectRef<{ user: UserRow }>('UserPayload').implement({
  fields: (t) => ({ user: t.field({ type: User, resolve: ({ user }) => user }) }),
});
const UpdateProfileInput = builder.inputType('UpdateProfileInput', {
  description: 'What is not given stays as it is. Null clears it.',
  fields: (t) => ({
    globalName: t.string({ description: 'The name that is shown; 1 to 32 characters.' }),
    avatar: t.field({ type: 'File', description: 'A PNG, JPEG, GIF or WebP image.' }),
  }),
});

builder.mutationField('updateProfile', (t) =>
  t.field({
    type: UserPayload,
    args: { input: t.arg({ type: UpdateProfileInput, required: true }) },
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
    description: 'Null for nobody, and for the bot of a private application that the caller has nothing to do with.',
    args: { id: t.arg.id({ required: true }) },
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
    description: 'The caller, or null for somebody who is not signed in.',
    resolve: (_root, _args, { call }) => (call.actor.kind === 'person' ? call.actor.user : null),
  }),
);
