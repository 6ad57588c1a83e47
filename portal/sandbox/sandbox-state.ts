import { useCallback, useEffect, useState } from 'react';
import type {
  ClockDescription,
  FaultDescription,
  InstanceDescription,
  WorldDescription,
} from '../../src/sandbox/protocol.js';
import type { Control } from './control.js';

/** In milliseconds. */
const INTERVAL_MS = 1_000;

export interface SandboxState {
  worlds: InstanceDescription['worlds'];
  clock: ClockDescription;
  /** Null if the instance has none. */
  world: WorldDescription | null;
  faults: readonly FaultDescription[];
}

async function read(control: Control, chosen: string | null): Promise<SandboxState> {
  const [{ worlds }, clock] = await Promise.all([
    control.request<InstanceDescription>('GET', ''),
    control.request<ClockDescription>('GET', '/clock'),
  ]);
  const { id } = worlds.find((world) => world.id === chosen) ?? worlds[0] ?? {};
  if (id === undefined) return { worlds, clock, world: null, faults: [] };
  const [world, faults] = await Promise.all([
    control.request<WorldDescription>('GET', `/worlds/${id}`),
    control.request<FaultDescription[]>('GET', `/worlds/${id}/faults`),
  ]);
  return { worlds, clock, world, faults };
}

/**
 * Reads the state again each second.
 * @param chosen the id of a world. Default: the first one
 */
export function useSandbox(control: Control, chosen: string | null) {
  const [state, setState] = useState<SandboxState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const refresh = useCallback(async () => {
    try {
      setState(await read(control, chosen));
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof TypeError ? 'The sandbox does not answer. It may have stopped.' : messageOf(error));
    }
  }, [control, chosen]);
  useEffect(() => {
    void refresh();
    const timer = setInterval(refresh, INTERVAL_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  return { state, problem, refresh };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
