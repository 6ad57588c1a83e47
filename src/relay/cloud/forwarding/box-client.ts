import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type BoxClient, type BoxQuestions, type BoxRefusalCode, BoxRefused } from '../../../domain/boxes/index.js';
import { GuildUnavailable } from '../../../domain/guilds/index.js';
import { parseBounded } from '../../../infra/network/bounded-json.js';
import type { Logger } from '../../../infra/observability/logger.js';
import { renderUser } from '../../../wire/users.js';
import { CALL_REFUSALS } from '../../protocol/call-refusals.js';
import { ANSWER_BOUNDS } from '../../protocol/messages.js';
import { type MeasureParts, measured } from './measures.js';
import { type BoxAnswer, BoxError, type BoxTransports } from './transport.js';

const CALL_BUDGET_MS = 12_000;

/** A gateway session sends a guild or a page of members as a whole (docs/gateway.md, G-38). */
const MAX_CALL_ANSWER_BYTES = 2 * 1024 * 1024;

/** In characters. */
const MAX_LOGGED = 200;

/** See docs/relay.md, R-27. */
export class RelayBoxClient implements BoxClient {
  constructor(
    private readonly transports: BoxTransports,
    private readonly parts: MeasureParts & { log: Logger },
  ) {}

  async ask<Name extends keyof BoxQuestions>(boxId: bigint, name: Name, input: BoxQuestions[Name]): Promise<unknown> {
    const about = BigInt('guild_id' in input ? input.guild_id : input.id);
    try {
      const answer = await measured(
        this.parts,
        boxId,
        () => this.#call(boxId, name, input),
        (response) => this.#read(boxId, name, response),
      );
      if (answer instanceof BoxRefused) throw answer;
      return answer;
    } catch (error) {
      if (error instanceof BoxError) throw new GuildUnavailable(about, error, error.fault === 'offline');
      throw error;
    }
  }

  async #call<Name extends keyof BoxQuestions>(
    boxId: bigint,
    name: Name,
    input: BoxQuestions[Name],
  ): Promise<BoxAnswer> {
    const transport = await this.transports.to(boxId);
    if (!transport) throw new BoxError('offline', 'the box is not connected');
    return transport.call(name, asSent(input), { budgetMs: CALL_BUDGET_MS, key: randomUUID() });
  }

  /**
   * @returns the response, or a BoxRefused
   * @throws BoxError `undecodable`
   */
  #read(boxId: bigint, call: string, { status, body }: BoxAnswer): unknown {
    const facts = { boxId: String(boxId), call, status };
    if (isRefusal(status)) {
      const { code, said } = refusalIn(body);
      this.parts.log.warn({ ...facts, said }, 'Box refused a call');
      return new BoxRefused(code);
    }
    try {
      if (status !== 200) throw new BoxError('undecodable', `the box responded to ${call} with status ${status}`);
      if (body.length > MAX_CALL_ANSWER_BYTES) throw new BoxError('undecodable', `an answer of ${body.length} bytes`);
      return parseBody(body);
    } catch (error) {
      this.parts.log.warn({ ...facts, err: error }, 'Box sent an invalid response');
      throw error;
    }
  }
}

function asSent(input: BoxQuestions[keyof BoxQuestions]): object {
  return 'bot' in input ? { ...input, bot: renderUser(input.bot) } : input;
}

/** A 429 is temporary. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

const Refusal = z.object({ code: z.unknown(), message: z.unknown() });

function refusalIn(body: Buffer): { code: BoxRefusalCode; said: string | null } {
  const { code, message } = Refusal.safeParse(valueIn(body)).data ?? {};
  const said = typeof message === 'string' ? message.slice(0, MAX_LOGGED) : null;
  if (code === CALL_REFUSALS.BANNED) return { code: 'BANNED', said };
  if (code === CALL_REFUSALS.UNKNOWN_GUILD) return { code: 'UNKNOWN_GUILD', said };
  return { code: 'FORBIDDEN', said };
}

/** A refusal counts even if its body is unreadable. */
function valueIn(body: Buffer): unknown {
  try {
    return parseBounded(body.toString(), ANSWER_BOUNDS);
  } catch {
    return null;
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return parseBounded(body.toString(), ANSWER_BOUNDS);
  } catch (error) {
    throw new BoxError('undecodable', 'the box sent a response that is not JSON', { cause: error });
  }
}
