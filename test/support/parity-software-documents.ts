import { graphql } from '../gql/gql.js';

export const AppCreate = graphql(`
  mutation ParityAppCreate($input: AppCreateInput!) {
    done: appCreate(input: $input) {
      record: app {
        ...ParityApp
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityApp on App {
    databaseId
    name
    description
    communicationFormat
    updatedAt
    createdVia
    kind
    language
  }
`);
export const AppUpdate = graphql(`
  mutation ParityAppUpdate($id: ID!, $input: AppUpdateInput!) {
    done: appUpdate(id: $id, input: $input) {
      record: app {
        ...ParityApp
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const AppDelete = graphql(`
  mutation ParityAppDelete($id: ID!) {
    done: appDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const AppVersionCreate = graphql(`
  mutation ParityAppVersionCreate($input: AppVersionCreateInput!) {
    done: appVersionCreate(input: $input) {
      record: appVersion {
        ...ParityAppVersion
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityAppVersion on AppVersion {
    databaseId
    app {
      databaseId
    }
    number
    crc
    size
    createdBy {
      databaseId
    }
    displayable
    authorizerUrl
    posDisplayLabel
    createdAt
    updatedAt
    uuid
    bytecode
    groups {
      nodes {
        databaseId
      }
    }
    modules {
      nodes {
        databaseId
      }
    }
    files {
      nodes {
        databaseId
      }
    }
  }
`);
export const AppVersionUpdate = graphql(`
  mutation ParityAppVersionUpdate($id: ID!, $input: AppVersionUpdateInput!) {
    done: appVersionUpdate(id: $id, input: $input) {
      record: appVersion {
        ...ParityAppVersion
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const AppVersionDelete = graphql(`
  mutation ParityAppVersionDelete($id: ID!) {
    done: appVersionDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const FileCreate = graphql(`
  mutation ParityFileCreate($file: Upload!, $fileType: FileType, $description: String) {
    done: fileCreate(input: { file: $file, fileType: $fileType, description: $description }) {
      record: file {
        ...ParityFile
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityFile on File {
    databaseId
    name
    fileType
    description
    content
    size
    crc
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const FileReplace = graphql(`
  mutation ParityFileReplace($id: ID!, $file: Upload!) {
    done: fileUpdate(id: $id, input: { file: $file }) {
      record: file {
        ...ParityFile
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const FileUpdate = graphql(`
  mutation ParityFileUpdate($id: ID!, $input: FileUpdateInput!) {
    done: fileUpdate(id: $id, input: $input) {
      record: file {
        ...ParityFile
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const FileDelete = graphql(`
  mutation ParityFileDelete($id: ID!) {
    done: fileDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const NotificationSend = graphql(`
  mutation ParityNotificationSend($input: NotificationSendInput!) {
    done: notificationSend(input: $input) {
      record: notification {
        databaseId
        content
        updatedAt
        createdAt
        createdBy {
          databaseId
        }
        createdVia
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityProblem on UserError {
    message
    path
    code
  }
`);
export const NotificationRead = graphql(`
  query ParityNotifications {
    notifications {
      nodes {
        databaseId
        content
        updatedAt
        createdAt
        createdBy {
          databaseId
        }
        createdVia
      }
    }
  }
`);
export const UserRead = graphql(`
  query ParityUsers {
    users {
      nodes {
        databaseId
        email
        name
        signInCount
        lastSignInAt
        lastSignInIp
        timeZone
        updatedAt
        createdAt
      }
    }
  }
`);
export const TransactionRead = graphql(`
  query ParityTransactions {
    transactions(first: 100) {
      nodes {
        databaseId
        transactionType
        serialNumber
        logicalNumber
        appName
        detail
        frameworkVersion
        status
        sent
        received
        parsed {
          acquirer
          type
          status
          statusReason
          captureMethod
          amount
          paymentMethod
          installment {
            type
            quantity
          }
          nsu
          nsuReference
          authorizationCode
          transactionId
          card {
            holderName
            brand
            expirationDate
            firstDigits
            lastDigits
          }
          merchant {
            id
            document
            name
          }
          metadata
        }
        startedAt
        finishedAt
      }
    }
  }
`);
/** All but metacontents, whose value is of another type than a parameter's. */
export const NodeRead = graphql(`
  query ParityNode($id: ID!) {
    found: node(id: $id) {
      ...ParityGroup
      ...ParityLogicalNumber
      ...ParityDevice
      ...ParityParameter
      ...ParityApp
      ...ParityAppVersion
      ...ParityFile
    }
  }
`);
