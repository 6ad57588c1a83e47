import { createContext, useContext } from 'react';
import { useClient } from 'urql';
import { UpdateApplicationDocument } from '../../gql/applications/layout.js';
import type { ApplicationPageFragment, UpdateApplicationInput } from '../../gql/types.js';

/** The application whose pages are open, as it is at the moment. */
export const ApplicationContext = createContext<ApplicationPageFragment | null>(null);

/** The application whose pages are open. */
export function useApplication(): ApplicationPageFragment {
  const application = useContext(ApplicationContext);
  if (!application) throw new Error('no application is open');
  return application;
}

/** Saves settings of the application: only those that are given. */
export function useUpdateApplication() {
  const client = useClient();
  const { id } = useApplication();
  return (changes: Omit<UpdateApplicationInput, 'applicationId'>) =>
    client.mutation(UpdateApplicationDocument, { input: { applicationId: id, ...changes } }).toPromise();
}
