import { createContext, useContext } from 'react';
import type { ChannelRowFragment } from '../../gql/types.js';

/** The channel that is open, as it is at the moment. */
export const ChannelContext = createContext<ChannelRowFragment | null>(null);

/** The channel that is open. */
export function useChannel(): ChannelRowFragment {
  const channel = useContext(ChannelContext);
  if (!channel) throw new Error('no channel is open');
  return channel;
}
