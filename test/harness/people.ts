import { webhookUrl } from '../../src/wire/webhooks.js';
import { PASSWORD, putAccount } from './accounts.js';
import { askGraphql, type GraphqlAnswer, type Loose } from './graphql.js';
import { insertApplication, insertGuild, insertMember } from './inserted.js';
import type { TestServer } from './server.js';
import { createWebhook, userOf } from './world.js';

export interface Person {
  id: string;
  name: string;
  email: string;
  password: string;
  /** A session token, for `Authorization: Bearer`. */
  token: string;
  /** The session cookie, as a browser sends it. */
  cookie: string;
  /** The app of their server if it runs in this process. */
  app?: TestServer['app'];
  /** Runs an operation. Fails if the response has errors. */
  graphql<Data = Loose>(query: string, variables?: object): Promise<Data>;
  ask<Data = Loose>(query: string, variables?: object): Promise<GraphqlAnswer<Data>>;
}

type At = Pick<TestServer, 'origin'> & Partial<Pick<TestServer, 'app'>>;

/**
 * Signs up a new user with the unused username `name`. If sign-ups are neither rate-limited nor confirmed by mail, the
 * rows are inserted directly: a request would spend most of its time hashing the password.
 * @param headers of the sign-up; if given, it is always a request
 */
export async function signUp(server: At, name: string, headers?: Record<string, string>): Promise<Person> {
  const email = `${name}@people.example`;
  const { app } = server;
  const isPlain = app && !headers && !app.config.rateLimits && app.config.smtpUrl === null;
  const account = isPlain
    ? await putAccount(app, { name, email })
    : await requestAccount(server, { name, email }, headers);
  const ask = <Data = Loose>(query: string, variables: object = {}) =>
    askGraphql<Data>(server, query, variables, { authorization: `Bearer ${account.token}` });
  return {
    ...account,
    ...(app && { app }),
    name,
    email,
    password: PASSWORD,
    ask,
    async graphql<Data = Loose>(query: string, variables: object = {}) {
      const { data, errors } = await ask<Data>(query, variables);
      if (errors.length > 0 || data === null) throw new Error(`the query failed: ${JSON.stringify(errors)}`);
      return data;
    },
  };
}

type Account = Pick<Person, 'id' | 'token' | 'cookie'>;

async function requestAccount(
  { origin }: At,
  { name, email }: Pick<Person, 'name' | 'email'>,
  headers: Record<string, string> = {},
): Promise<Account> {
  const response = await fetch(`${origin}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email, password: PASSWORD, name }),
  });
  if (!response.ok) throw new Error(`signing up ${name} was answered ${response.status}: ${await response.text()}`);
  const { token, user } = (await response.json()) as { token: string; user: { id: string } };
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  return { id: user.id, token, cookie };
}

export interface MadeApplication {
  /** Also the client id, and the id of its bot. */
  id: string;
  name: string;
  clientSecret: string;
  botToken: string;
  publicKey: string;
}

export async function createApplication(owner: Person, name = 'Test bot'): Promise<MadeApplication> {
  if (owner.app) {
    const { application, clientSecret, botToken } = await insertApplication(
      owner.app,
      await userOf(owner.app, owner),
      name,
    );
    return { id: String(application.id), name, clientSecret, botToken, publicKey: application.publicKey };
  }
  const { createApplication: made } = await owner.graphql(
    `mutation ($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id name publicKey } clientSecret botToken }
    }`,
    { input: { name } },
  );
  return { ...made.application, clientSecret: made.clientSecret, botToken: made.botToken };
}

export interface MadeGuild {
  id: string;
  name: string;
  textChannelId: string;
  voiceChannelId: string;
}

export async function createGuild(owner: Person, name = 'Test guild'): Promise<MadeGuild> {
  if (owner.app) {
    const { id, text, voiceChannelId } = await insertGuild(owner.app, await userOf(owner.app, owner), name);
    return { id: String(id), name, textChannelId: String(text.id), voiceChannelId: String(voiceChannelId) };
  }
  const { createGuild: made } = await owner.graphql(
    `mutation ($input: CreateGuildInput!) { createGuild(input: $input) { guild { id name channels { id type } } } }`,
    { input: { name } },
  );
  const channelOf = (type: number) =>
    made.guild.channels.find((channel: { type: number }) => channel.type === type).id as string;
  return { id: made.guild.id, name: made.guild.name, textChannelId: channelOf(0), voiceChannelId: channelOf(2) };
}

export interface InstallOptions {
  scopes?: string[];
  /** Permission bits, decimal. */
  permissions?: string;
}

/** Its bot becomes a member. Returns the installation's id. */
export async function install(
  installer: Person,
  application: { id: string },
  guild: { id: string },
  options: InstallOptions = {},
): Promise<string> {
  const { installApplication } = await installer.graphql(
    `mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { installation { id } } }`,
    {
      input: {
        applicationId: application.id,
        guildId: guild.id,
        scopes: options.scopes ?? ['bot', 'applications.commands'],
        permissions: options.permissions,
      },
    },
  );
  return installApplication.installation.id;
}

export async function uninstall(installer: Person, installationId: string): Promise<void> {
  await installer.graphql(`mutation ($input: InstallationIdInput!) { uninstallApplication(input: $input) { id } }`, {
    input: { installationId },
  });
}

/** Inserts rows if both use a server of this process. Otherwise `inviter` makes an invite. */
export async function invite(inviter: Person, guild: MadeGuild, person: Person): Promise<void> {
  if (inviter.app && inviter.app === person.app) {
    await insertMember(person.app, BigInt(guild.id), await userOf(person.app, person));
    return;
  }
  const { createInvite } = await inviter.graphql(
    `mutation ($input: ChannelIdInput!) { createInvite(input: $input) { code } }`,
    { input: { channelId: guild.textChannelId } },
  );
  await person.graphql(`mutation ($input: JoinGuildInput!) { joinGuild(input: $input) { guild { id } } }`, {
    input: { code: createInvite.code },
  });
}

export async function sendMessage(person: Person, channelId: string, content: string): Promise<string> {
  const { sendMessage: sent } = await person.graphql(
    `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id } } }`,
    { input: { channelId, content } },
  );
  return sent.message.id;
}

export interface MadeWebhook {
  id: string;
  token: string;
  url: string;
}

/** Makes a webhook as a developer of the application who manages the server. It uses no rate limit of a bot. */
export async function makeWebhook(
  { app, origin }: Pick<TestServer, 'app' | 'origin'>,
  creator: Person,
  application: Pick<MadeApplication, 'id'>,
  channelId: string,
): Promise<MadeWebhook> {
  const owner = await app.db.reader.user.findUniqueOrThrow({ where: { id: BigInt(creator.id) } });
  const place = { owner, channel: { id: BigInt(channelId) } };
  const { id, token } = await createWebhook(app, place, { id: BigInt(application.id) }, 'Builds');
  return { id, token, url: webhookUrl({ id: BigInt(id) }, token, origin) };
}
