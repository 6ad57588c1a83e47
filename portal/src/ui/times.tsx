import { useEffect, useState } from 'react';
import { once } from './once.js';

// Created on first use: loading locale data takes longer than the rest of a first visit.
const exact = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'medium' }));
const relative = once(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }));

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function Ago({ at }: { at: string }) {
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact().format(date)}>
      {describe((date.getTime() - now) / 1_000)}
    </time>
  );
}

const day = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' }));

/** A date with its time of day. */
export function At({ at }: { at: string }) {
  return <time dateTime={at}>{day().format(new Date(at))}</time>;
}

function describe(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  if (unit === 'second') return 'just now';
  return relative().format(Math.round(seconds / length), unit);
}

/** Returns the current time in milliseconds, updated every 30 seconds. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Counts whole seconds down to 0. Restarts when `since` changes. */
export function useCountdown(seconds: number, since: unknown): number {
  const [left, setLeft] = useState(Math.ceil(seconds));
  const [begun, begin] = useState(since);
  // During render, not in an effect, so that no button is enabled for one frame.
  if (begun !== since) {
    begin(since);
    setLeft(Math.ceil(seconds));
  }
  useEffect(() => {
    if (seconds <= 0) return;
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000);
    return () => clearInterval(timer);
  }, [seconds, since]);
  return left;
}
