import { isIP } from 'node:net';
import type { Limit, RateLimits } from '../../infra/rate-limits.js';
import type { InstanceLimits } from './instance-limits.js';
import { LIMIT_KINDS, type LimitKind, limitOf } from './kinds.js';

const KINDS_BY_NAME: ReadonlyMap<string, LimitKind> = new Map(
  LIMIT_KINDS.flatMap((kind): [string, LimitKind][] => {
    const { rate } = limitOf(kind);
    return rate ? [[rate.name, kind]] : [];
  }),
);

/** Applies the values of operators to the limits that they change, and notes who is refused. */
export function withInstanceLimits(limits: RateLimits, instance: InstanceLimits): RateLimits {
  const effective = (kind: LimitKind, limit: Limit, key: string): Limit => {
    const points = instance.ownValue(kind, key, headOf(key));
    return points === undefined ? limit : { ...limit, points };
  };
  const takeChangeable = async (kind: LimitKind, ...[limit, key, points]: Parameters<RateLimits['take']>) => {
    const state = await limits.take(effective(kind, limit, key), key, points);
    if (!state.allowed) {
      const subject = subjectOf(key);
      if (subject !== null) instance.refusals.note(kind, subject, state.resetAfterMs);
    }
    return state;
  };
  return {
    take(limit, key, points) {
      const kind = KINDS_BY_NAME.get(limit.name);
      return kind === undefined ? limits.take(limit, key, points) : takeChangeable(kind, limit, key, points);
    },
    giveBack(limit, key, points) {
      const kind = KINDS_BY_NAME.get(limit.name);
      const subject = kind && subjectOf(key);
      if (kind && subject) instance.refusals.forget(kind, subject);
      return limits.giveBack(limit, key, points);
    },
    peek(limit, key) {
      const kind = KINDS_BY_NAME.get(limit.name);
      return limits.peek(kind === undefined ? limit : effective(kind, limit, key), key);
    },
  };
}

/** Keys begin with the caller: an id, also that of an application with a person's token, or an address. */
function headOf(key: string): string {
  const end = key.indexOf(':');
  return end < 0 ? key : key.slice(0, end);
}

/** Null for the holder of an interaction or webhook token. */
function subjectOf(key: string): string | null {
  if (isIP(key) !== 0) return key;
  const head = headOf(key);
  return /^\d+$/.test(head) ? head : null;
}
