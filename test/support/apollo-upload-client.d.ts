/** The package has its types in comments only. */
declare module 'apollo-upload-client/UploadHttpLink.mjs' {
  import type { ApolloLink, HttpLink } from '@apollo/client';

  /** Sends an operation with files in its variables as a multipart request. */
  export default class UploadHttpLink extends ApolloLink {
    constructor(options: HttpLink.Options);
  }
}
