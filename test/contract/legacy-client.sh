#!/usr/bin/env bash
# A legacy back office with curl: uses every endpoint of /v1.
# Usage: legacy-client.sh BASE_URL E-MAIL PASSWORD
set -euo pipefail

base=$1 email=$2 password=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

# expect STATUS PATTERN curl-arguments… : sends one request and checks its status and a text in its response.
expect() {
  local status=$1 pattern=$2
  shift 2
  local got
  got=$(curl -sS -o "$work/response" -w '%{http_code}' "$@")
  if [ "$got" != "$status" ] || ! grep -qE -- "$pattern" "$work/response"; then
    echo "FAILED: curl $*" >&2
    echo "wanted $status and /$pattern/, got $got: $(head -c 2000 "$work/response")" >&2
    exit 1
  fi
  passed=$((passed + 1))
}

# field NAME : the first value of a field in the last response.
field() { grep -oE "\"$1\":(\"[^\"]*\"|[0-9]+)" "$work/response" | head -n 1 | sed -E 's/^"[^"]*":"?([^"]*)"?$/\1/'; }

# The token: JSON that curl labels as a form.
expect 200 '^\[\{"company_name":' "$base/v1/users/token" -d "{\"email\":\"$email\",\"password\":\"$password\"}"
token=$(field api_token)
v1() { echo "$base/v1/$1?access_token=$token"; }
expect 401 '"code":"unauthenticated"' "$base/v1/devices?access_token=wrong"
expect 401 '"message":' "$base/v1/users/token" -d "{\"email\":\"$email\",\"password\":\"not the password\"}"

# Groups: JSON without a content type, names in paths, a trailing slash.
expect 201 '^\{"group":\{"id":[0-9]+,"name":"AREA 51","updated_at":' "$(v1 groups)" -d '{"name":"AREA 51"}'
group=$(field id)
expect 409 '"errors":\{"name":\[' "$(v1 groups)" -d '{"name":"AREA 51"}'
expect 200 '"name":"AREA 51"' "$(v1 groups/AREA%2051)"
expect 200 '^\{"pagination":\{"page":1,"total_pages":1,"entries":1,"total_entries":1\},"groups":\[\{"group":' "$(v1 groups/)"
expect 200 '"name":"AREA/52"' -X PUT "$(v1 groups/AREA%2051)" -d '{"name":"AREA/52"}'
expect 200 '"name":"AREA 51"' -X PUT "$(v1 groups/AREA%2F52)" -d 'name=AREA 51'

# Logical numbers: a form body, then JSON with every Content-Type.
expect 201 '^\{"logical_number":\{"id":[0-9]+,"number":"1"' "$(v1 logical_numbers)" -d '{"number":"1"}'
expect 201 '"number":"112233"' "$(v1 logical_numbers)" -d 'number=112233'
expect 200 '"app_version_ids":\[\]' "$(v1 logical_numbers/1)"
expect 200 "\"group_id\":$group" -X PUT "$(v1 logical_numbers/1)" -H 'Content-Type: text/plain' -d "{\"group_id\":$group}"
expect 200 '"logical_numbers":\[\{"logical_number":' "$(v1 logical_numbers)"
expect 409 '"code":"group_not_empty"' -X DELETE "$(v1 groups/AREA%2051)"

# Devices: by id to read, by serial number to change; booleans as text.
expect 201 '"enabled":true' "$(v1 devices)" -H 'Content-Type: application/json' -d '{"serial_number":"0000 A-1"}'
device=$(field id)
expect 200 '"meta":\{\}' "$(v1 "devices/$device")"
expect 200 '"enabled":false' -X PUT "$(v1 devices/0000%20A-1)" -d '{"enabled":"false"}'
expect 200 '"enabled":true' -X PUT "$(v1 devices/0000%20A-1)" -d 'enabled=Yes'
expect 200 '"enabled":true' -X PUT "$(v1 devices/0000%20A-1)" -d 'enabled='
expect 422 '"errors":\{"enabled":\[' -X PUT "$(v1 devices/0000%20A-1)" -d '{"enabled":"maybe"}'
expect 200 '"total_entries":1' "$(v1 devices)&page=1&per_page=100"
expect 400 '"message":' "$(v1 devices)&page=0"

# Parameters: the owner in a JSON body of GET and DELETE, or in the query.
expect 201 '^\{"logical_number_parameter":' "$(v1 parameters)" -d '{"number":"1","key":"timeout","value":"30","description":"seconds"}'
parameter=$(field id)
expect 201 '^\{"group_parameter":' "$(v1 parameters)" -d '{"name":"AREA 51","key":"timeout","value":"60","description":"seconds"}'
expect 200 '"parameters":\[\{"logical_number_parameter":' -X GET "$(v1 parameters)" -d '{"number":"1"}'
expect 200 '"parameters":\[\{"group_parameter":' -G "$(v1 parameters/)" --data-urlencode 'name=AREA 51'
expect 200 '"value":"30"' -X GET "$(v1 "parameters/$parameter")" -d '{"number":"1"}'
expect 404 '"code":"not_found"' -X GET "$(v1 "parameters/$parameter")" -d '{"number":"112233"}'
expect 422 '"message":' "$(v1 parameters)"
expect 200 '"value":"31"' -X PUT "$(v1 "parameters/$parameter")" -d '{"number":1,"value":31}'
expect 200 '^\{\}$' -X DELETE "$(v1 "parameters/$parameter")" -d '{"number":"1"}'

# Metacontents: any JSON.
expect 201 '"value":\{"a":\[1,null\]\}' "$(v1 metacontents)" -d '{"number":"1","key":"menu","value":{"a":[1,null]}}'
metacontent=$(field id)
expect 200 '"metacontents":\[' -X GET "$(v1 metacontents)" -d '{"number":"1"}'
expect 200 '"key":"menu"' -X GET "$(v1 "metacontents/$metacontent")" -d '{"number":"1"}'
expect 200 '"value":"text"' -X PUT "$(v1 "metacontents/$metacontent")" -d '{"number":"1","value":"text"}'
expect 200 '^\{\}$' -X DELETE "$(v1 "metacontents/$metacontent")" -d '{"number":"1"}'

# Applications and versions: a language suffix, offsets in timestamps, bytecode and its CRC.
expect 201 '"name":"pay\.posxml".*"updated_at":"[0-9T:-]+\+00:00".*"language":"posxml"' "$(v1 apps)" \
  -d '{"name":"pay","description":"Payments","kind":"Standard","communication_format":"ISO8583"}'
app=$(field id)
expect 200 '"description":"Cards"' -X PUT "$(v1 "apps/$app")" -d '{"description":"Cards"}'
expect 200 '"apps":\[\{"app":' "$(v1 apps)"
expect 201 '"crc":"31C3","size":9,' "$(v1 "apps/$app/versions")" \
  -d "{\"number\":\"1.0\",\"displayable\":\"true\",\"authorizer_url\":\"10.0.0.1\",\"pos_display_label\":\"PAY\",\"bytecode\":\"MTIzNDU2Nzg5\",\"group_ids\":[$group]}"
version=$(field id)
head -c 1200000 /dev/zero >"$work/app.posxml"
expect 201 '"number":"1\.2","crc":"0000","size":1200000,.*"authorizer_url":"10.0.0.9"' "$(v1 "apps/$app/versions")" \
  -F "bytecode=@$work/app.posxml" -F number=1.2 -F displayable=true -F authorizer_url=10.0.0.9
large=$(field id)
base64 -w 0 "$work/app.posxml" >"$work/app.base64"
expect 200 '"size":1200000,' -X PUT "$(v1 "apps/$app/versions/$large")" --data-urlencode "bytecode@$work/app.base64"
printf '{"bytecode":"%s"}' "$(cat "$work/app.base64")" >"$work/app.json"
expect 200 '"size":1200000,' -X PUT "$(v1 "apps/$app/versions/$large")" --data-binary "@$work/app.json"
expect 201 '"number":"1\.1"' "$(v1 "apps/$app/versions")" -d 'number=1.1&displayable=true'
expect 200 '"appversions":\[\{"app_version":' "$(v1 "apps/$app/versions")"
expect 200 "\"bytecode\":\"MTIzNDU2Nzg5\",\"group_ids\":\[$group\]" "$(v1 "apps/$app/versions/$version")"
expect 200 '"authorizer_url":"10.0.0.2"' -X PUT "$(v1 "apps/$app/versions/$version")" -d '{"authorizer_url":"10.0.0.2"}'
expect 200 "\"app_version_ids\":\[$version\]" -X PUT "$(v1 logical_numbers/1)" -d "{\"app_version_ids\":[$version]}"

# A deploy of a Ruby application: forms with empty fields, the application found by its bare name.
expect 201 '"name":"mylab".*"language":"ruby"' "$(v1 apps)" -d 'name=mylab&language=ruby&description=&displayable='
lab=$(field id)
expect 200 '"name":"mylab"' "$(v1 apps)&per_page=100"
expect 201 '"number":"1.0".*"displayable":false' "$(v1 "apps/$lab/versions")" \
  -d "number=1.0&displayable=&pos_display_label=&group_ids[]=$group"
expect 200 '^\{\}$' -X DELETE "$(v1 "apps/$lab")"

# Files: multipart, with any part name.
printf 123456789 >"$work/logo.bmp"
expect 201 '"name":"logo.bmp".*"content":"MTIzNDU2Nzg5","size":9,"crc":"31C3"' "$(v1 files)" -F 'description=Logo' -F "&asset=@$work/logo.bmp"
file=$(field id)
expect 200 '"content":"MTIzNDU2Nzg5"' "$(v1 "files/$file")"
expect 200 '"files":\[\{"file":' "$(v1 files)"
expect 200 '"number":"1.0"' -X PUT "$(v1 "apps/$app/versions/$version")" -d "file_ids%5B%5D=$file&file_ids%5B%5D=$file"
expect 200 "\"file_ids\":\[$file\]" "$(v1 "apps/$app/versions/$version")"
printf x >"$work/logo.bmp"
expect 200 '"size":1,' -X PUT "$(v1 "files/$file")" -F "file=@$work/logo.bmp"
expect 422 '"errors":' "$(v1 files)" -F 'description=no file'

# Notifications, users, transactions.
expect 201 '^\{"message":"' "$(v1 notifications)" -d '{"content":"Hello","range":"specific_logical_numbers","logical_numbers":"1,112233","kind":"show"}'
expect 201 '^\{"message":"' "$(v1 notifications)" -d "{\"content\":\"Hello\",\"range\":\"group\",\"group_id\":$group}"
expect 200 '"content":"SHOW_MESSAGE\|Hello"' "$(v1 notifications)"
notification=$(field id)
expect 200 '"notification":\{"id":' "$(v1 "notifications/$notification")"
expect 200 "\"email\":\"$email\"" "$(v1 users)"
user=$(grep -oE "\"id\":[0-9]+,\"email\":\"$email\"" "$work/response" | grep -oE '[0-9]+' | head -n 1)
expect 200 "\"email\":\"$email\".*\"sign_in_count\":1," "$(v1 "users/$user")"
expect 200 '"transactions":\[' "$(v1 transactions)&status=success&since=2026-01-01&until=2026-12-31"
expect 400 '"message":' "$(v1 transactions)&since=2026-02-30"

# HEAD, OPTIONS, and the links at the root.
expect 200 '^HTTP/1.1 200 OK' -I "$(v1 groups/AREA%2051)"
expect 204 '^Allow: GET, HEAD, POST, OPTIONS' -i -X OPTIONS "$base/v1/groups"
expect 200 '"docs":"/docs"' "$base/"

# Paths and methods that do not exist.
expect 404 'v1' "$base/v2/devices?access_token=$token"
expect 404 'v1' "$base/v1.1/devices?access_token=$token"
expect 405 '"message":' -X PATCH "$(v1 "devices/$device")" -d '{}'

# Deleting, from the leaves to the root.
expect 200 '^\{\}$' -X DELETE "$(v1 "files/$file")"
expect 200 '^\{\}$' -X DELETE "$(v1 "apps/$app/versions/$version")"
expect 200 '^\{\}$' -X DELETE "$(v1 "apps/$app")"
expect 200 '^\{\}$' -X DELETE "$(v1 devices/0000%20A-1)"
expect 200 '^\{\}$' -X DELETE "$(v1 logical_numbers/1)"
expect 200 '^\{\}$' -X DELETE "$(v1 groups/AREA%2051)"
expect 404 '"code":"not_found"' "$(v1 groups/AREA%2051)"

echo "$passed requests passed."
