import { createContext, useContext } from 'react';
import { useClient } from 'urql';
import { UpdateApplicationDocument } from '../../gql/applications/layout.js';
import type { ApplicationPageFragment, UpdateApplicationInput } from '../../gql/types.js';

export const ApplicationContext = createContext<ApplicationPageFragment | null>(null);

/** The application of the current page. */
export function useApplication(): ApplicationPageFragment {
  const application = useContext(ApplicationContext);
  if (!application) throw new Error('useApplication must be used inside ApplicationLayout.');
  return application;
}

export function useUpdateApplication() {
  const client = useClient();
  const { id } = useApplication();
  return (changes: Omit<UpdateApplicationInput, 'applicationId'>) =>
    client.mutation(UpdateApplicationDocument, { input: { applicationId: id, ...changes } }).toPromise();
}
