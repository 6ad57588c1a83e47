import { renderUser } from '../wire/users.js';
import { builder } from './builder.js';
import { snowflakeId } from './ids.js';

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
      resolve: async ({ id }, _args, { call }) => {
        if (call.actor.kind !== 'person' || call.actor.user.id !== id) return null;
        const account = await call.read.authUser.findUnique({ where: { userId: id }, select: { email: true } });
        return account?.email ?? null;
      },
    }),
  }),
});

builder.queryField('me', (t) =>
  t.field({
    type: User,
    nullable: true,
    skipTypeScopes: true,
    description: 'The caller, or null for somebody who is not signed in.',
    resolve: (_root, _args, { call }) => (call.actor.kind === 'person' ? call.actor.user : null),
  }),
);
