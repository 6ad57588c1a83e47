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

function createdAt(secret: string): string {
  return `Time when the ${secret} was created. Null if not recorded.`;
}

function createdBy(secret: string): string {
  return `Person who created the ${secret}. Null if not recorded.`;
}

function lastUsedAt(secret: string): string {
  return `Time when the ${secret} was last accepted, accurate to a minute. Null if never, or not recorded.`;
}

builder.prismaObjectFields(Application, (t) => ({
  clientSecretHint: t.string({
    nullable: true,
    description: 'First 6 and last 4 characters of the client secret, to recognize it.',
    resolve: (application, _args, context) => {
      const { clientSecretPrefix: prefix, clientSecretLast4: last4 } = application;
      return seenOf(context, application, prefix && last4 && `${prefix}…${last4}`);
    },
  }),
  clientSecretCreatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: createdAt('client secret'),
    resolve: (application, _args, context) => seenOf(context, application, application.clientSecretCreatedAt),
  }),
  clientSecretCreatedBy: t.field({
    type: User,
    nullable: true,
    description: createdBy('client secret'),
    resolve: (application, _args, context, info) =>
      creatorOf(context, info, application, application.clientSecretCreatedById),
  }),
  clientSecretLastUsedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: lastUsedAt('client secret'),
    resolve: (application, _args, context) => seenOf(context, application, application.clientSecretLastUsedAt),
  }),
  botTokenHint: t.string({
    nullable: true,
    description:
      'First part of the bot token, which encodes the application ID, and its last 4 characters, to recognize it.',
    resolve: (application, _args, context) => seenOf(context, application, botTokenHint(application)),
  }),
  botTokenCreatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: createdAt('bot token'),
    resolve: (application, _args, context) => seenOf(context, application, application.botTokenCreatedAt),
  }),
  botTokenCreatedBy: t.field({
    type: User,
    nullable: true,
    description: createdBy('bot token'),
    resolve: (application, _args, context, info) =>
      creatorOf(context, info, application, application.botTokenCreatedById),
  }),
  botTokenLastUsedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: lastUsedAt('bot token'),
    resolve: (application, _args, context) => seenOf(context, application, application.botTokenLastUsedAt),
  }),
}));
