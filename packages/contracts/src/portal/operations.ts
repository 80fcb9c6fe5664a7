/** The portal API's own calls: sign-in, sessions, and the administration of an organisation. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { plainMessage } from '../public/api.ts';
import { jsonRequest, reply, retryAfter, sessionCookie } from '../public/reply-headers.ts';
import { keyRightsChange } from '../values/key-rights.ts';
import * as organisation from './organisation-api.ts';
import * as session from './session-api.ts';
import * as signUp from './sign-up-api.ts';

type Responses = Record<`${number}`, ZodOpenApiResponseObject>;

/** A CSV file as an attachment. */
export const csvFile = (description: string): ZodOpenApiResponseObject => ({
  ...reply(description, null),
  content: { 'text/csv': { schema: z.string() } },
});
export const refused = (description: string, more?: z.ZodRawShape) => reply(description, plainMessage, more);

export const failures = {
  '429': { id: 'TooManyRequests', ...refused('Too many requests.', retryAfter) },
  '500': { id: 'Failed', ...refused('Internal server error.') },
  '503': {
    id: 'Unavailable',
    ...refused(
      'A dependency is down. The request had no effect or its full effect, never a part. Retry.',
      retryAfter,
    ),
  },
} satisfies Responses;
const bodyRefusals: Responses = {
  '400': {
    id: 'BadBody',
    ...refused('The body is invalid; the message names each wrong field and what it must be.'),
  },
  '413': { id: 'BodyTooLarge', ...refused('The body is larger than 16 KiB.') },
  '415': {
    id: 'BodyNotJson',
    ...refused('The body is not JSON in UTF-8, or is compressed otherwise than with gzip, deflate or br.'),
  },
};
export const notSignedIn = 'Nobody is signed in, or the session has ended.';
const unauthorised = { '401': { id: 'NotSignedIn', ...refused(notSignedIn) } } satisfies Responses;
export const csrfRefused = 'The request comes from another site, or `X-CSRF-Token` is missing or out of date';

type Call = {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** The allowed roles; every signed-in person if left out. */
  readonly roles?:
    | 'Admin'
    | 'Developer, Admin'
    | 'Finance, Admin'
    | 'Marketer, Admin'
    | 'Viewer, Marketer, Admin';
  readonly parameters?: ZodOpenApiOperationObject['requestParams'];
  readonly body?: z.ZodType;
  readonly replies: Responses;
};

function describeCall(o: Call): ZodOpenApiOperationObject {
  return {
    operationId: o.id,
    summary: o.summary,
    description: o.description,
    ...(o.parameters === undefined ? {} : { requestParams: o.parameters }),
    ...(o.body !== undefined && { requestBody: jsonRequest(o.body) }),
    responses: { ...(o.body === undefined ? {} : bodyRefusals), ...o.replies, ...failures },
  };
}

/** The calls of one subject; `roles`: those that may make them, where a call says nothing else. */
export function section(tag: string, roles?: Call['roles']) {
  const withRoles = (o: Call): Call => ({ ...(roles !== undefined && { roles }), ...o });
  return {
    /** A call without a session: only the origin of the request is checked. */
    open: (o: Call): ZodOpenApiOperationObject => {
      const replies = { '403': refused('The request comes from another site.'), ...o.replies };
      return { ...describeCall({ ...o, replies }), tags: [tag], security: [] };
    },
    /** A reading call. */
    read: (call: Call): ZodOpenApiOperationObject => {
      const o = withRoles(call);
      const role: Responses =
        o.roles === undefined ? {} : { '403': refused(`Only for the roles ${o.roles}.`) };
      return { ...describeCall({ ...o, replies: { ...o.replies, ...unauthorised, ...role } }), tags: [tag] };
    },
    /** A changing call, which needs the CSRF token of the session. */
    change: (call: Call): ZodOpenApiOperationObject => {
      const o = withRoles(call);
      const role = o.roles === undefined ? '' : `; or not one of the roles ${o.roles}`;
      const replies = { ...o.replies, ...unauthorised, '403': refused(`${csrfRefused}${role}.`) };
      return { ...describeCall({ ...o, replies }), tags: [tag], security: [{ session: [], csrf: [] }] };
    },
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls by method and path, as the document has them. */
export function pathsOf(
  calls: Readonly<Record<`${Method} /${string}`, ZodOpenApiOperationObject>>,
): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [call, operation] of Object.entries(calls)) {
    const [method = '', path = ''] = call.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return paths;
}

export const named = (id: string, schema: z.ZodType) => schema.meta({ id });
const sessionReply = named('Session', session.sessionReply);
const organisationReply = named('Organisation', organisation.organisationReply);
const billingDetailsReply = named('BillingDetails', organisation.billingDetailsReply);
const savedPlace = named('SavedPlace', organisation.savedPlace);
const personReply = named('Person', organisation.person);
const termsReply = named('Terms', organisation.termsReply);
const issuedKey = named('IssuedKey', organisation.issuedKey);
const idPath = { path: z.object({ id: z.int().positive() }) };
const signUpRefused = refused(
  'At present only the platform team registers organisations; or the request comes from another site.',
);
const unknown = { id: 'Unknown', ...refused('The organisation has nothing with that id.') };

const signIns = section('Sign-in');
const signUps = section('Sign-up');
const sessions = section('Session');
const organisations = section('Organisation');
const places = section('Places', 'Marketer, Admin');
const people = section('People', 'Admin');
const viewing = section('Offers', 'Viewer, Marketer, Admin');
const terms = section('Terms');
const keys = section('Keys', 'Developer, Admin');
const keyRights = section('Keys', 'Admin');
const spendingLimits = named('SpendingLimits', organisation.spendingLimits);
const calls = section('Calls', 'Developer, Admin');

export const ownPaths = pathsOf({
  'POST /sign-in': signIns.open({
    id: 'askForSignInLink',
    summary: 'Ask for a sign-in link by email',
    description:
      'The answer does not show whether the address is known. An address gets at most 5 links in 15 minutes.',
    body: session.signInRequest,
    replies: { '202': reply('If the address is known, a link was sent to it.', session.signInReply) },
  }),
  'POST /sign-in/link': signIns.open({
    id: 'describeSignInLink',
    summary: 'Who signs in with the token of a link',
    description: 'The page of a link shows it before the person signs in. The link stays unused.',
    body: session.signInCompletion,
    replies: {
      '200': reply('The address, and the trading name of the organisation.', session.signInLinkReply),
      '401': refused('The link is unknown, was used or has expired.'),
    },
  }),
  'POST /sign-in/complete': signIns.open({
    id: 'completeSignIn',
    summary: 'Sign in with the token of a link',
    description: 'The token is the part of the link after the `#`; it works once.',
    body: session.signInCompletion,
    replies: {
      '200': reply('Signed in.', sessionReply, sessionCookie),
      '401': refused('The link is unknown, was used or has expired.'),
    },
  }),
  'GET /sign-up': {
    ...describeCall({
      id: 'readSignUp',
      summary:
        'Whether people may register organisations themselves, and the countries and currencies to choose from',
      description: 'The sign-up page reads it. Needs no session.',
      replies: {
        '200': reply('Whether sign-up is open, and the choices.', named('SignUpState', signUp.signUpState)),
      },
    }),
    tags: ['Sign-up'],
    security: [],
  },
  'POST /sign-up': signUps.open({
    id: 'signUp',
    summary: 'Ask to register an organisation',
    description:
      'Nothing exists until the link in the mail was used, within 24 hours. Answers the same whether or not anybody has that address: who has a place already is sent a link to sign in instead. At most 5 such mails in 24 hours go to one address.',
    body: signUp.signUpRequest,
    replies: { '202': reply('A mail is on its way.', signUp.signUpReply), '403': signUpRefused },
  }),
  'POST /sign-up/complete': signUps.open({
    id: 'completeSignUp',
    summary: 'Register the organisation with the token of the link and sign in as its first admin',
    description:
      'The token is the part of the link after the `#`. It registers one organisation. If it is sent again within a minute, for example by a second click, it signs in to that organisation.',
    body: session.signInCompletion,
    replies: {
      '200': reply('Signed in.', sessionReply, sessionCookie),
      '401': refused('The link is unknown, was used or has expired.'),
      '403': signUpRefused,
    },
  }),
  'GET /session': sessions.read({
    id: 'readSession',
    summary: 'The signed-in person, organisation, role and CSRF token',
    description: 'Each page reads it first: the CSRF token is needed for every change.',
    replies: { '200': reply('The session.', sessionReply) },
  }),
  'POST /session/organisation': sessions.change({
    id: 'switchOrganisation',
    summary: 'Switch to another organisation of the same email address',
    description: 'The new session replaces this one, with the role that the person has there.',
    body: session.organisationSwitch,
    replies: {
      '200': reply('The session, with a new CSRF token.', sessionReply, sessionCookie),
      '404': refused('The address does not belong to such an organisation.'),
    },
  }),
  'GET /sessions': sessions.read({
    id: 'listSessions',
    summary: 'All sessions of the email address',
    description:
      'On all devices and in all organisations, so that a person sees a session that is not theirs.',
    replies: { '200': reply('Sessions, last used first.', session.sessionsReply) },
  }),
  'DELETE /sessions/{id}': sessions.change({
    id: 'endSession',
    summary: 'End a session of the email address',
    description: 'That device is signed out at once. Ids are in `GET /sessions`.',
    parameters: { path: session.sessionNamed },
    replies: { '204': reply('It has ended.', null), '404': refused('The address has no such session.') },
  }),
  'POST /sign-out': sessions.change({
    id: 'signOut',
    summary: 'End this session',
    description: 'The cookie is deleted, and the session ends at once.',
    replies: { '204': reply('Signed out.', null, sessionCookie) },
  }),
  'POST /sign-out-everywhere': sessions.change({
    id: 'signOutEverywhere',
    summary: 'End all sessions of the email address',
    description: 'On all devices and in all organisations, this session included.',
    replies: { '204': reply('Signed out.', null, sessionCookie) },
  }),
  'GET /organisation': organisations.read({
    id: 'readOrganisation',
    summary: 'The organisation',
    description:
      'Its names, country and currency, its quotas of offers, and whether it has accepted the latest terms.',
    replies: { '200': reply('The organisation.', organisationReply), '404': unknown },
  }),
  'PATCH /organisation': organisations.change({
    id: 'changeOrganisation',
    summary: 'Change the trading name',
    description: 'Members see the trading name unless an offer has an advertised name.',
    roles: 'Admin',
    body: organisation.organisationChange,
    replies: { '200': reply('The organisation.', organisationReply), '404': unknown },
  }),
  'PUT /organisation/time-zone': organisations.change({
    id: 'setTimeZone',
    summary: 'Set the time zone of the organisation',
    description: 'Charts show days of this time zone. Everybody in the organisation sees the same days.',
    roles: 'Admin',
    body: organisation.timeZoneChange,
    replies: { '200': reply('The organisation.', organisationReply) },
  }),
  'GET /organisation/billing-details': organisations.read({
    id: 'readBillingDetails',
    summary: 'What invoices show of the organisation beside its name and country',
    description: 'They show no address until one is entered.',
    roles: 'Finance, Admin',
    replies: {
      '200': reply('Address, VAT number and purchase order.', billingDetailsReply),
      '404': unknown,
    },
  }),
  'PUT /organisation/billing-details': organisations.change({
    id: 'setBillingDetails',
    summary: 'Replace the billing details',
    description: 'Invoices that are issued from now on show them; earlier ones stay as they are.',
    roles: 'Finance, Admin',
    body: organisation.billingDetailsChange,
    replies: { '200': reply('The details as they are kept.', billingDetailsReply), '404': unknown },
  }),
  'GET /places': places.read({
    id: 'listPlaces',
    summary: 'The saved places of the organisation',
    description: 'By name. They are the same in TEST and LIVE mode.',
    replies: { '200': reply('Places.', organisation.savedPlaces) },
  }),
  'POST /places': places.change({
    id: 'savePlace',
    summary: 'Save a place under a name',
    description: 'At most 200. New offers can be made for it.',
    body: organisation.savedPlaceWish,
    replies: {
      '201': reply('The place.', savedPlace),
      '404': unknown,
      '409': refused('A place has that name, or as many places are saved as may be.'),
    },
  }),
  'PUT /places/{id}': places.change({
    id: 'changePlace',
    summary: 'Change the name, the position and the radius of a saved place',
    description: 'Offers that were made for it stay as they are.',
    parameters: idPath,
    body: organisation.savedPlaceWish,
    replies: {
      '200': reply('The place.', savedPlace),
      '404': unknown,
      '409': refused('Another place has that name.'),
    },
  }),
  'DELETE /places/{id}': places.change({
    id: 'deletePlace',
    summary: 'Delete a saved place',
    description: 'Offers that were made for it stay as they are.',
    parameters: idPath,
    replies: { '204': reply('It is deleted.', null), '404': unknown },
  }),
  'GET /people': people.read({
    id: 'listPeople',
    summary: 'The people of the organisation',
    description: 'With their roles, and whether they have signed in or are disabled.',
    replies: { '200': reply('People.', organisation.peopleOfOrganisation) },
  }),
  'GET /authors': viewing.read({
    id: 'readAuthors',
    summary: 'The addresses of people, and the last characters of keys, that changed offers',
    description: 'People and keys of the organisation alone; those of others are left out.',
    parameters: { query: organisation.authorsQuery },
    replies: {
      '200': reply('Those that are known.', named('Authors', organisation.authorsReply)),
      '400': refused('A parameter is invalid; the message names it.'),
    },
  }),
  'POST /people': people.change({
    id: 'invitePerson',
    summary: 'Invite a person by a mail with a sign-in link',
    description: '403 also until the platform team has approved the organisation.',
    body: organisation.personInvitation,
    replies: {
      '201': reply('The person.', personReply),
      '404': unknown,
      '409': refused('The organisation has a person with that address, or as many people as it may have.'),
    },
  }),
  'PATCH /people/{id}': people.change({
    id: 'changePerson',
    summary: 'Change the role of a person, disable or enable them',
    description: 'A disabled person is signed out at once, and their keys stop working.',
    parameters: idPath,
    body: organisation.personChange,
    replies: {
      '200': reply('The person.', personReply),
      '404': unknown,
      '409': refused('The organisation would be left without an enabled admin.'),
    },
  }),
  'POST /people/{id}/invitation': people.change({
    id: 'inviteAgain',
    summary: 'Send the invitation again',
    description:
      '429 also when the person got several invitations within a day; 403 also until the platform team has approved the organisation.',
    parameters: idPath,
    replies: {
      '200': reply('The person.', personReply),
      '404': unknown,
      '409': refused('The person has signed in before, or is disabled.'),
    },
  }),
  'GET /spending-limits': people.read({
    id: 'readSpendingLimits',
    summary: 'What each person of a role may order',
    description: 'For each person apart, and for TEST and LIVE mode apart. Card payments count with VAT.',
    replies: { '200': reply('The limits of the roles that may order.', spendingLimits) },
  }),
  'PUT /spending-limits': people.change({
    id: 'setSpendingLimits',
    summary: 'Set what each person of a role may order',
    description: 'In force when this answers. What was ordered before counts.',
    body: organisation.spendingLimitsChange,
    replies: { '200': reply('The limits of the roles that may order.', spendingLimits), '404': unknown },
  }),
  'GET /terms': terms.read({
    id: 'readTerms',
    summary: 'The advertising terms and who accepted them',
    description: 'Offers can be created only when an admin has accepted the latest version.',
    replies: { '200': reply('The terms.', termsReply) },
  }),
  'GET /terms/text': terms.read({
    id: 'readTermsText',
    summary: 'The text of one version of the terms',
    description: 'Of the latest version or of an earlier one.',
    parameters: { query: organisation.termsTextQuery },
    replies: {
      '200': reply('The text.', named('TermsText', organisation.termsTextReply)),
      '400': refused('The version is missing or too long.'),
      '404': unknown,
    },
  }),
  'POST /terms/acceptance': terms.change({
    id: 'acceptTerms',
    summary: 'Accept the latest terms for the organisation',
    description: 'The body names the version, so that nobody accepts one that they have not seen.',
    roles: 'Admin',
    body: organisation.termsAcceptance,
    replies: {
      '200': reply('The terms.', termsReply),
      '404': unknown,
      '409': refused('That is not the latest version, or no version was ever published.'),
    },
  }),
  'GET /keys': keys.read({
    id: 'listKeys',
    summary: 'API keys of the organisation',
    description: 'Of a key only the last four characters are shown.',
    replies: { '200': reply('Keys, without themselves.', organisation.keysReply) },
  }),
  'POST /keys': keys.change({
    id: 'createKey',
    summary: 'Create an API key',
    description: 'Only this reply contains the key; it cannot be read again.',
    body: organisation.newKey,
    replies: {
      '201': reply('The key.', issuedKey),
      '404': unknown,
      '409': refused('The organisation has the maximum number of active keys.'),
    },
  }),
  'PATCH /keys/{id}/rights': keyRights.change({
    id: 'changeKeyRights',
    summary: 'Change what a key may do, from where, and how much it may spend',
    description: 'What is left out stays. In force when this answers.',
    parameters: idPath,
    body: keyRightsChange,
    replies: { '200': reply('The rights.', organisation.keyRightsReply), '404': unknown },
  }),
  'POST /keys/{id}/roll': keys.change({
    id: 'rollKey',
    summary:
      'Replace an API key by a new key of the caller; the old key has stopped working when this answers',
    description: 'Only this reply contains the new key; it cannot be read again.',
    parameters: idPath,
    replies: {
      '200': reply('The new key.', issuedKey),
      '404': unknown,
      '409': refused('The key is not active, has no mode, or its person is disabled.'),
    },
  }),
  'POST /keys/{id}/disable': keys.change({
    id: 'disableKey',
    summary: 'Disable an API key; it has stopped working when this answers',
    description: 'For good: create a new key to go on.',
    parameters: idPath,
    replies: { '200': reply('It is disabled.', organisation.disabledKey), '404': unknown },
  }),
  'GET /calls': calls.read({
    id: 'listCalls',
    summary: 'The call log of the organisation, newest first',
    description: 'Calls with an API key. Actions in the portal are not in it.',
    parameters: { query: organisation.callsQuery },
    replies: {
      '200': reply('A page of calls.', organisation.callsReply),
      '400': refused('A parameter is invalid; the message names it.'),
    },
  }),
});
