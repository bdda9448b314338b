import * as g from '../../../graphql/index.js';
import { DeviceType } from '../../fleet/device/device.graphql.js';
import { AppLanguage } from '../app/app.graphql.js';
import {
  type Asset,
  type ManifestApp,
  type ManifestModule,
  type Omission,
  PARAMS_DAT,
  type RenderedManifest,
  type TerminalFile,
} from './manifest.model.js';
import { filesOfDevices, listManifests, MANIFEST_SEARCH, manifestEntries } from './manifest.service.js';

type Hidden = 'contentId' | 'versionId';

const bytes = {
  name: g.text(
    'Name under which terminals download it: the name of the company folded to letters and digits, an underscore, and its own name.',
  ),
  size: g.int('Size in bytes.'),
  crc: g.text('CRC-16/XMODEM: 4 upper-case hexadecimal digits.'),
  sha256: g.text('SHA-256: 64 lower-case hexadecimal digits.'),
};

const ManifestFileType = g.objectType<Asset, Hidden>(
  'ManifestFile',
  'A file that terminals download.',
  bytes,
);

const software = {
  ...bytes,
  type: g.choice(AppLanguage, 'Language of the application.'),
  version: g.text('Number of the version.'),
};

const ManifestModuleType = g.objectType<ManifestModule, Hidden>(
  'ManifestModule',
  'A version of an application of kind module that is a part of another one.',
  software,
);

const ManifestAppType = g.objectType<ManifestApp, Hidden>(
  'ManifestApp',
  'An application that terminals run.',
  {
    label: g.text('Entry in the menu, such as `1 - Sale`; `X` for an application that is not in the menu.'),
    ...software,
    modules: g.object.list(ManifestModuleType, 'Modules of the version, and modules of these.'),
  },
);

const ManifestOmissionKind = g.enumeration<Omission['kind']>('ManifestOmissionKind', 'What is left out.', {
  app: 'A version of an application or module.',
  file: 'A file.',
  parameter: 'A parameter.',
});

const ManifestOmissionReason = g.enumeration<Omission['reason']>(
  'ManifestOmissionReason',
  'Why it is left out.',
  {
    no_bytes: 'The version has no bytecode.',
    name: 'The name has a comma, a semicolon, a double quote, an equals sign, a slash or a backslash.',
    same_name:
      'Another application, module or file has the same name: an application goes before a module, a module before a file, and of two versions the one that was created last.',
    key: 'The key has an equals sign or is in double quotes, or it is `apps_list` or `files_list`. Only `params.dat` is without the parameter.',
    value:
      'The value has a line break or another control character. Only `params.dat` is without the parameter.',
  },
);

const ManifestOmissionType = g.objectType<Omission>(
  'ManifestOmission',
  'Something that terminals do not get.',
  {
    kind: g.choice(ManifestOmissionKind, 'What is left out.'),
    name: g.text('Name of the application or file, or key of the parameter.'),
    reason: g.choice(ManifestOmissionReason, 'Why it is left out.'),
  },
);

const ManifestType = g.objectType<RenderedManifest, 'text'>(
  'Manifest',
  'What the terminal of a device gets.',
  {
    etag: g.text('ETag of the manifest at `/terminal/v1/manifest`, with its quotes.'),
    paramsDat: g.text('The settings file at `/terminal/v1/params.dat`.'),
    apps: g.object.list(ManifestAppType, 'Applications, by name.'),
    files: g.object.list(ManifestFileType, 'Files, by name.'),
    omissions: g.object.list(ManifestOmissionType, 'What is left out, and why.'),
  },
);

const TerminalFileType = g.objectType<TerminalFile>(
  'TerminalFile',
  'A file of the manifest, or the settings file `params.dat`: what the terminal of a device has of it, as far as is known.',
  {
    name: g.text('Name under which terminals download it.'),
    crc: g.text.orNull(
      'CRC-16/XMODEM that the terminal named when it last asked for the file; if it named none, that of the file that it took. Null before.',
    ),
    since: g.instant.orNull('First request with this CRC.'),
    isCurrent: g.flag('Whether the terminal would get the same file now.'),
  },
);

const manifest = g.fields(DeviceType, {
  paramsDat: {
    ...g.loaded(
      g.object.orNull(
        TerminalFileType,
        'The settings file that the terminal has, as far as is known. Null if it never asked for it.',
      ),
      filesOfDevices,
      (files) => files?.find(({ name, crc }) => name === PARAMS_DAT && crc !== null) ?? null,
      manifestEntries,
    ),
    searches: () => [MANIFEST_SEARCH],
  },
  files: {
    ...g.loaded(
      g.object.list(
        TerminalFileType,
        'The files of its manifest, and what its terminal has of each. No applications and modules: see `software`.',
      ),
      filesOfDevices,
      (files) => files?.filter(({ name }) => name !== PARAMS_DAT) ?? [],
      manifestEntries,
    ),
    searches: () => [MANIFEST_SEARCH],
  },
  manifest: {
    ...g.loaded(
      g.object.orNull(
        ManifestType,
        'What the terminal gets, or would get if the device were enabled. Null if the device has no logical number.',
      ),
      listManifests,
      (found) => found ?? null,
      manifestEntries,
    ),
    searches: () => [MANIFEST_SEARCH],
  },
});

export const manifestGraphql = g.graphqlModule(manifest);
