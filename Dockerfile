# docker build -t relsmith . && docker run --rm -v "$PWD:/data" --user "$(id -u)" relsmith list
FROM python:3.13 AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --prefix=/install -c constraints.txt '.[stats]' ./examples/plugin

FROM python:3.13-slim
COPY --from=build /install /usr/local
RUN useradd --create-home --uid 1000 gen && install -d -o gen -g gen /data
USER 1000
WORKDIR /data
ENTRYPOINT ["gen"]
CMD ["--help"]
