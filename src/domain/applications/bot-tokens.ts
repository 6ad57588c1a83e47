import { hashSecret, randomToken, secretMatches } from '../../infra/crypto/secrets.js';
import type { Application } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import type { Actor } from '../call.js';
import type { KnownCredentials } from '../known-credentials.js';
import { type PrivilegedIntent, privilegedIntents } from './privileged-intents.js';
import type { SecretUses } from './secret-uses.js';
import type { ApplicationViews, ApplicationWithBot } from './views.js';

export interface AuthenticatedBot {
  actor: Extract<Actor, { kind: 'bot' }>;
  privilegedIntents: PrivilegedIntent[];
  /** Changes when the token is reset. */
  tokenHash: string;
}

/**
 * Three parts with dots between them: base64url of the bot's id, the time, and 32 random bytes. Libraries read the id
 * from the first part.
 */
export function createBotToken(applicationId: bigint, now: number): { token: string; hash: string } {
  const time = Buffer.from(
    Math.floor(now / 1000)
      .toString(16)
      .padStart(8, '0'),
    'hex',
  ).toString('base64url');
  const token = `${whoseOf(applicationId)}.${time}.${randomToken(32)}`;
  return { token, hash: hashSecret(token) };
}

/** The first part of the application's bot tokens. */
function whoseOf(applicationId: bigint): string {
  return Buffer.from(String(applicationId)).toString('base64url');
}

/** The public first part and the last four characters. Null if those are not stored. */
export function botTokenHint({ id, botTokenLast4 }: Pick<Application, 'id' | 'botTokenLast4'>): string | null {
  return botTokenLast4 && `${whoseOf(id)}.…${botTokenLast4}`;
}

function claimedApplication(token: string): bigint | undefined {
  const [id = '', ...rest] = token.split('.');
  return rest.length === 2 ? parseSnowflake(Buffer.from(id, 'base64url').toString('latin1')) : undefined;
}

export class BotTokens {
  constructor(
    private readonly applications: ApplicationViews,
    private readonly known: KnownCredentials,
    private readonly uses: Pick<SecretUses, 'note'>,
  ) {}

  async authenticate(token: string): Promise<AuthenticatedBot | null> {
    const id = claimedApplication(token);
    if (id === undefined || !(this.applications.isRemembered(id) || (await this.known.application(id)))) return null;
    const application = await this.applications.application(id);
    if (!application?.botTokenHash || !secretMatches(token, application.botTokenHash)) return null;
    this.uses.note('botToken', id, application.botTokenHash);
    return authenticatedBot(application, application.botTokenHash);
  }

  /** A bot that has authenticated in another process. Null if its token has been reset. */
  async stillAuthenticated(id: bigint, tokenHash: string): Promise<AuthenticatedBot | null> {
    const application = await this.applications.application(id);
    return application?.botTokenHash === tokenHash ? authenticatedBot(application, tokenHash) : null;
  }
}

function authenticatedBot(application: ApplicationWithBot, tokenHash: string): AuthenticatedBot {
  return {
    actor: {
      kind: 'bot',
      user: application.bot,
      applicationId: application.id,
      messageContentIntent: application.messageContentIntent,
    },
    privilegedIntents: privilegedIntents(application),
    tokenHash,
  };
}
