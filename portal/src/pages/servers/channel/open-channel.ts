import { createContext, useContext } from 'react';
import type { ChannelRowFragment } from '../../../gql/types.js';

export const ChannelContext = createContext<ChannelRowFragment | null>(null);

export function useChannel(): ChannelRowFragment {
  const channel = useContext(ChannelContext);
  if (!channel) throw new Error('useChannel must be used inside ChannelContext.');
  return channel;
}
