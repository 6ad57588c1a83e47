import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';
import { accessGuild } from '../guilds/access.js';
import { type BanRecord, WITH_USER } from './record.js';

export interface ListBansInput {
  guildId: bigint;
  /** User ids, exclusive. `before` wins over `after`. */
  before?: bigint | undefined;
  after?: bigint | undefined;
  /** 1 to 1,000. */
  limit: number;
}

/** SQLite takes 999 parameters. */
const PAGE = 400;

/**
 * Ascending by user id. With `before`, returns the last bans before it. Needs BanMembers.
 * @throws the errors of `accessGuild`
 */
export async function listBans(call: CallContext, input: ListBansInput): Promise<BanRecord[]> {
  const { guildId, before, limit } = input;
  await accessGuild(call, guildId, 'viewBans');
  const isBackwards = before !== undefined;
  const found: BanRecord[] = [];
  for (let edge = isBackwards ? before : input.after; found.length < limit; edge = found.at(-1)?.userId) {
    await yieldToEventLoop();
    const take = Math.min(PAGE, limit - found.length);
    const page = await call.read.ban.findMany({
      where: { guildId, userId: isBackwards ? { lt: edge } : { gt: edge } },
      include: WITH_USER,
      orderBy: { userId: isBackwards ? 'desc' : 'asc' },
      take,
    });
    found.push(...page);
    if (page.length < take) break;
  }
  return isBackwards ? found.reverse() : found;
}

/** Needs BanMembers. @throws UNKNOWN_BAN and the errors of `accessGuild` */
export async function getBan(
  call: CallContext,
  { guildId, userId }: { guildId: bigint; userId: bigint },
): Promise<BanRecord> {
  await accessGuild(call, guildId, 'viewBans');
  const ban = await call.read.ban.findFirst({ where: { guildId, userId }, include: WITH_USER });
  if (!ban) throw new DomainError('UNKNOWN_BAN');
  return ban;
}
