import { useSyncExternalStore } from 'react';

/** Shared value outside the React tree. */
export class Store<Value> {
  readonly #listeners = new Set<() => void>();

  constructor(private value: Value) {}

  readonly get = (): Value => this.value;

  set(value: Value): void {
    if (Object.is(this.value, value)) return;
    this.value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
