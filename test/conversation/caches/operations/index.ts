import type { Operations, Scene, Step } from '../acting.js';
import { channelOperations } from './channels.js';
import { guildOperations } from './guild.js';
import { liveOperations } from './live.js';
import { memberOperations } from './members.js';
import { messageOperations } from './messages.js';
import { roleOperations } from './roles.js';

export const OPERATIONS: Operations = {
  ...channelOperations,
  ...guildOperations,
  ...liveOperations,
  ...memberOperations,
  ...messageOperations,
  ...roleOperations,
};

const TOTAL = Object.values(OPERATIONS).reduce((sum, { weight }) => sum + weight, 0);

/** Probability of trying an operation first that has not succeeded yet. */
const FIRST_OF_ALL = 0.2;

/**
 * Plans one operation by weight.
 * @param missing operations that have not succeeded yet
 */
export function planOne(scene: Scene, missing: readonly string[]): { name: string; step: Step } {
  const name = scene.random.chance(FIRST_OF_ALL) ? scene.random.orNull(missing) : null;
  const first = name === null ? null : OPERATIONS[name]?.plan(scene);
  if (name !== null && first) return { name, step: first };
  for (;;) {
    let at = scene.random.below(TOTAL);
    for (const [name, { weight, plan }] of Object.entries(OPERATIONS)) {
      at -= weight;
      if (at >= 0) continue;
      const step = plan(scene);
      if (step) return { name, step };
      break;
    }
  }
}
