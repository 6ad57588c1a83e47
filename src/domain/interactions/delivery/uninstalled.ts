import type { Interaction, InteractionState } from '../../../infra/database/index.js';
import { snowflakeAt } from '../../../infra/ids/ids.js';
import type { CallContext, Write } from '../../call.js';
import { TOKEN_LIFETIME_MS } from '../states.js';
import { stepRow } from '../steps.js';
import { updated } from '../transitions.js';

/** Replaces the hash of a revoked token. */
const NO_TOKEN = '';

const REASON = 'The application was uninstalled before it answered.';

/** Whether an uninstall revoked the token. */
export function hasEnded({ tokenHash }: Pick<Interaction, 'tokenHash'>): boolean {
  return tokenHash === NO_TOKEN;
}

/**
 * Ends the application's interactions that no remaining installation covers, and revokes their tokens. Runs in the
 * transaction that removes installations. A concurrent answer either commits first or is rejected.
 */
export async function endUninstalled(call: CallContext, write: Write, applicationId: bigint): Promise<void> {
  const { db, record } = write;
  const unanswered = (await endTokens(call, write, applicationId)).filter(({ state }) => state !== 'ANSWERED');
  const steps = unanswered.map(({ id, state }) =>
    stepRow(call, id, { kind: state === 'EXPIRED' ? 'EXPIRED' : 'FAILED', reason: REASON }),
  );
  await db.interactionStep.createMany({ data: steps });
  for (const { id, state } of unanswered) record(updated({ id, applicationId, state }));
}

/** @returns the interactions whose tokens were revoked, in their new states */
async function endTokens(
  { clock }: Pick<CallContext, 'clock'>,
  { db }: Pick<Write, 'db'>,
  applicationId: bigint,
): Promise<{ id: bigint; state: InteractionState }[]> {
  const ended = await db.$queryRaw<{ id: string; state: InteractionState }[]>`
    UPDATE "Interaction" SET
      "tokenHash" = ${NO_TOKEN},
      "endsAt" = NULL,
      "failure" = CASE WHEN "state" = 'ANSWERED' THEN "failure" ELSE ${REASON} END,
      "state" = CASE "state" WHEN 'ANSWERED' THEN "state" WHEN 'DEFERRED' THEN 'EXPIRED' ELSE 'FAILED' END
    WHERE "applicationId" = ${applicationId} AND "id" >= ${snowflakeAt(clock.now() - TOKEN_LIFETIME_MS)}
      AND "state" NOT IN ('FAILED', 'EXPIRED') AND "tokenHash" <> ${NO_TOKEN}
      AND COALESCE("owners" ->> 'guildId', '') <> '0'
      AND NOT EXISTS (
        SELECT 1 FROM "Installation" WHERE "Installation"."applicationId" = "Interaction"."applicationId"
          AND "Installation"."guildId" = CAST("Interaction"."owners" ->> 'guildId' AS BIGINT))
      AND NOT EXISTS (
        SELECT 1 FROM "Installation" WHERE "Installation"."applicationId" = "Interaction"."applicationId"
          AND "Installation"."userId" = CAST("Interaction"."owners" ->> 'userId' AS BIGINT))
    RETURNING CAST("id" AS TEXT) AS "id", "state"`;
  return ended.map(({ id, state }) => ({ id: BigInt(id), state }));
}
