import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing refers to any more, so that what is left can be told from what was not looked at yet. */
export const collectGarbage = runInNewContext('gc') as () => void;
