import { useEffect, useState } from 'react';
import { fieldsOf } from '../json.js';

/** How long a typing event counts, in milliseconds. */
const TYPING_MS = 10_000;

interface Typist {
  userId: string;
  name: string;
  until: number;
}

export function useTyping(selfId: string) {
  const [typists, setTypists] = useState<Typist[]>([]);
  const others = (userId: string) => (one: Typist) => one.userId !== userId;
  useEffect(() => {
    if (typists.length === 0) return;
    const isTyping = ({ until }: Typist) => until > Date.now();
    const timer = setTimeout(() => setTypists((before) => before.filter(isTyping)), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typists]);
  return {
    typing: typists.map(({ name }) => name),
    note: ({ userId, name }: Pick<Typist, 'userId' | 'name'>) => {
      if (userId === selfId) return;
      const until = Date.now() + TYPING_MS - 100;
      setTypists((before) => [...before.filter(others(userId)), { userId, name, until }]);
    },
    /** Removes the author of a new message. */
    forget: (message: unknown) => {
      const { id } = fieldsOf(fieldsOf(message).author);
      setTypists((before) => (before.length === 0 ? before : before.filter(others(String(id)))));
    },
  };
}
