import { useState, type ReactNode } from 'react';

import { graphql, useMutation, useQuery } from '../../api';
import { EditFields } from '../../record/fields';
import { RecordLinks } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { useFormat } from '../../text/format';
import { Facts, Section, Time } from '../../ui/facts';
import { errorAt } from '../../ui/form';
import { FileInput } from '../../ui/inputs';
import { useText } from './words';

const FILE = graphql(`
  query FileRecord($id: ID!) {
    file(id: $id) {
      id
      revision
      name
      fileType
      size
      crc
      sha256
      description
      updatedAt
      appVersions(first: 100) {
        nodes {
          id
          number
          app { name }
        }
      }
    }
  }
`);

const UPDATE = graphql(`
  mutation FileEdit($id: ID!, $ifMatch: Int, $input: FileUpdateInput!) {
    fileUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      file {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation FileDelete($id: ID!, $ifMatch: Int) {
    fileDelete(id: $id, ifMatch: $ifMatch) { userErrors { code message path rule params } }
  }
`);

export default function FilePanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const format = useFormat();
  const query = useQuery(FILE, { id }, ['FILE', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ file }) => file}
      title={({ name }) => name}
      edit={(file, close) => <FileForm file={file} onClose={close} />}
      remove={{ document: DELETE, changes: 'FILE' }}
      history="FILE"
      onClose={onClose}
      tabs={(file) => [
        {
          id: 'facts',
          title: text.facts,
          content: (
            <>
              <Facts
                facts={[
                  { name: text.fileType, value: text[file.fileType] },
                  { name: text.size, value: format.bytes(file.size) },
                  { name: 'CRC', value: <code>{file.crc}</code> },
                  { name: 'SHA-256', value: <code>{file.sha256}</code> },
                  { name: text.description, value: file.description },
                  { name: text.updated, value: <Time at={file.updatedAt} /> },
                ]}
              />
              <Section title={text.appVersions}>
                <RecordLinks page="/app-versions" records={file.appVersions.nodes} />
              </Section>
            </>
          ),
        },
      ]}
    />
  );
}

interface FileFormProps {
  readonly file: { readonly id: string; readonly revision: number; readonly description: string | null };
  readonly onClose: () => void;
}

function FileForm({ file, onClose }: FileFormProps): ReactNode {
  const text = useText();
  const [content, setContent] = useState<File | null>(null);
  const update = useMutation(UPDATE, ['FILE', 'APP_VERSION']);
  const mutation = {
    ...update,
    run: async (variables: Parameters<typeof update.run>[0]) =>
      content
        ? await update.run(
            { ...variables, input: { ...variables.input, file: null } },
            { path: 'input.file', file: content },
          )
        : await update.run(variables),
  };
  return (
    <EditFields
      record={file}
      present={{ description: file.description ?? '' }}
      fields={[{ name: 'description', label: text.description, rows: 3 }]}
      mutation={mutation}
      input={({ description }, ifMatch) => ({
        id: file.id,
        ifMatch,
        input: { description: description || null },
      })}
      onClose={onClose}
    >
      <FileInput
        label={text.content}
        help={text.contentHelp}
        file={content}
        onChange={setContent}
        progress={update.progress}
        error={errorAt(update.errors, 'input', 'file')}
      />
    </EditFields>
  );
}
