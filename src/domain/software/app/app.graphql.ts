import {
  choice,
  enumeration,
  graphqlModule,
  listTypes,
  mutations,
  queries,
  text,
} from '../../../graphql/index.js';
import { refuseLoss } from '../../fleet/logical-number/version-links.service.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import {
  type App,
  AppCreate,
  AppUpdate,
  type CommunicationFormat,
  type Kind,
  type Language,
} from './app.model.js';
import { apps, createApp, deleteApp, getApp, getAppByName, updateApp } from './app.service.js';
import { versionIdsOf } from './association.service.js';

const AppKind = enumeration<Kind>('AppKind', 'Role of an app.', {
  standard: 'Runs on its own.',
  module: 'Its versions are parts of versions of other apps.',
});

const CommunicationFormats = enumeration<CommunicationFormat>(
  'CommunicationFormat',
  'Protocol between an app and its host.',
  { http: 'HTTP.', iso8583: 'ISO 8583.', iso20022: 'ISO 20022.' },
);

const AppLanguage = enumeration<Language>('AppLanguage', 'Programming language of an app.', {
  posxml: 'POSXML. The name of the app ends in `.posxml`.',
  ruby: 'Ruby. The name of the app is as it was given.',
});

export const AppType = auditedType<App>('App', 'An application for devices. Devices run its versions.', {
  name: text('Name, unique in the company. That of a POSXML app ends in `.posxml`.'),
  description: text.orNull('Brief description. Null if there is none.'),
  communicationFormat: choice(CommunicationFormats, 'Protocol between the app and its host.'),
  kind: choice(AppKind, 'Whether the app runs on its own or is a module of others.'),
  language: choice(AppLanguage, 'Programming language.'),
});

export const AppList = listTypes(apps, AppType, {
  kind: AppKind,
  communicationFormat: CommunicationFormats,
  language: AppLanguage,
});

const KIND = 'Whether the app runs on its own or is a module of others.';
const FORMAT = 'Protocol between the app and its host.';

export const appGraphql = graphqlModule(
  queries(AppList, {
    keys: { name: { get: getAppByName, description: 'Name of the app; of a POSXML app with its suffix.' } },
  }),
  mutations(AppList, {
    get: getApp,
    create: {
      model: AppCreate,
      run: createApp,
      description: 'Creates an app, which has no version yet.',
      descriptions: {
        name: 'Name, unique in the company. 1 to 255 characters. `.posxml` is added to the name of a POSXML app if it is missing; the name of a Ruby app is kept as given.',
        kind: `${KIND} Defaults to STANDARD.`,
        communicationFormat: `${FORMAT} Defaults to HTTP.`,
        language: 'Programming language. Defaults to that of the suffix of the name, else to POSXML.',
      },
    },
    update: {
      model: AppUpdate,
      run: updateApp,
      descriptions: {
        name: 'New name. 1 to 255 characters. A suffix of another language changes the language too.',
        kind: `${KIND} A module stays a module while versions of other apps contain its versions.`,
        communicationFormat: FORMAT,
        language:
          'Programming language. Another language without a name adds or removes the suffix of the present name.',
      },
    },
    delete: {
      run: deleteApp,
      keeps: async (work, app) => refuseLoss(work, await versionIdsOf(work, app)),
      description: 'Deletes an app with its versions, also from the groups and versions that have them.',
    },
  }),
);
