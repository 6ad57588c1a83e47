export { autocompleteRequest, commandRequest, type InvokedCommand } from './command-requests.js';
export { componentRequest, type UsedComponent } from './component-requests.js';
export { ChosenValues, InvokedOptions, SubmittedComponents } from './input.js';
export { modalRequest, type SubmittedModal } from './modal-requests.js';
export type { AuthorizingOwners, ChannelShown, InteractionRequest, MemberShown, Resolved } from './request.js';
