import { topics } from '../../src/infra/streams/topics.js';
import type { TestServer } from './server.js';

export function countListeners({ app: { bus } }: Pick<TestServer, 'app'>): { count(): number; none(): Promise<void> } {
  const subscribeToBus = bus.subscribe.bind(bus);
  const open = new Set<object>();
  let tellNone: () => void = () => {};
  bus.subscribe = (topic, handler, options) => {
    const subscription = subscribeToBus(topic, handler, options);
    open.add(subscription);
    return {
      isComplete: subscription.isComplete,
      ready: subscription.ready,
      close() {
        subscription.close();
        open.delete(subscription);
        if (open.size === 0) tellNone();
      },
    };
  };
  const none = () =>
    new Promise<void>((resolve) => {
      tellNone = resolve;
      if (open.size === 0) resolve();
    }).then(() => {
      bus.subscribe = subscribeToBus;
    });
  return { count: () => open.size, none };
}

export function nextSubscription({ app: { bus } }: Pick<TestServer, 'app'>): { begun: Promise<void>; forget(): void } {
  const subscribeToBus = bus.subscribe.bind(bus);
  const begun = new Promise<void>((resolve) => {
    bus.subscribe = (topic, handler, options) => {
      const subscription = subscribeToBus(topic, handler, options);
      if (topic === topics.sessions) subscription.ready.then(resolve);
      return subscription;
    };
  });
  return {
    begun,
    forget() {
      bus.subscribe = subscribeToBus;
    },
  };
}
