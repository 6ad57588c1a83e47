import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage, so that only reachable objects remain. */
export const collectGarbage = runInNewContext('gc') as () => void;
