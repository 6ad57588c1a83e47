import type { GraphQLResolveInfo } from 'graphql';
import { botTokenHint } from '../domain/applications/index.js';
import type { Application as ApplicationRow, User as UserRow } from '../infra/database/index.js';
import { Application } from './applications.js';
import { builder } from './builder.js';
import type { GraphqlContext } from './context.js';
import { callerMayWithApplication } from './own-roles.js';
import { referredUser, User } from './users.js';

/** Null for callers without a role in the application. */
async function seenOf<Value>(
  context: GraphqlContext,
  application: ApplicationRow,
  kept: Value | null,
): Promise<Value | null> {
  return kept !== null && (await callerMayWithApplication(context, application, 'view')) ? kept : null;
}

async function creatorOf(
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  application: ApplicationRow,
  creatorId: bigint | null,
): Promise<UserRow | null> {
  const seen = await seenOf(context, application, creatorId);
  return seen === null ? null : referredUser(context, info, seen);
}

const CREATED_AT = 'When it was made; null for one that was made before this was noted.';
const CREATED_BY = 'Who made it; null where that is not known.';
const LAST_USED_AT =
  'When it was last accepted, up to a minute behind; null for not since it was made, or since this is noted.';

builder.prismaObjectFields(Application, (t) => ({
  clientSecretHint: t.string({
    nullable: true,
    description: 'The first and the last characters of the client secret.',
    resolve: (application, _args, context) => {
      const { clientSecretPrefix: prefix, clientSecretLast4: last4 } = application;
      return seenOf(context, application, prefix && last4 && `${prefix}…${last4}`);
    },
  }),
  clientSecretCreatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: CREATED_AT,
    resolve: (application, _args, context) => seenOf(context, application, application.clientSecretCreatedAt),
  }),
  clientSecretCreatedBy: t.field({
    type: User,
    nullable: true,
    description: CREATED_BY,
    resolve: (application, _args, context, info) =>
      creatorOf(context, info, application, application.clientSecretCreatedById),
  }),
  clientSecretLastUsedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: LAST_USED_AT,
    resolve: (application, _args, context) => seenOf(context, application, application.clientSecretLastUsedAt),
  }),
  botTokenHint: t.string({
    nullable: true,
    description: "The bot token's first part, which is the application's id, and its last four characters.",
    resolve: (application, _args, context) => seenOf(context, application, botTokenHint(application)),
  }),
  botTokenCreatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: CREATED_AT,
    resolve: (application, _args, context) => seenOf(context, application, application.botTokenCreatedAt),
  }),
  botTokenCreatedBy: t.field({
    type: User,
    nullable: true,
    description: CREATED_BY,
    resolve: (application, _args, context, info) =>
      creatorOf(context, info, application, application.botTokenCreatedById),
  }),
  botTokenLastUsedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: LAST_USED_AT,
    resolve: (application, _args, context) => seenOf(context, application, application.botTokenLastUsedAt),
  }),
}));
